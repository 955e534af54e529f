import random

from torch.utils.data import DataLoader

from tilewise.packing import PackedDataset, collate

rng = random.Random(0)
lengths = [min(512, 1 + int(rng.lognormvariate(4, 1))) for _ in range(2000)]
documents = [[rng.randrange(1000) for _ in range(n)] for n in lengths]

for epoch in range(2):
    indices = []
    for rank in range(2):  # two processes of a training run, here one after the other
        dataset = PackedDataset(documents, 512, seed=1, rank=rank, world_size=2)
        dataset.set_epoch(epoch)
        loader = DataLoader(dataset, batch_size=8, collate_fn=collate)
        batches = [*loader]
        tokens = sum(len(batch["tokens"]) for batch in batches)
        rows = sum(1 for _ in dataset)
        index = [i for batch in batches for i in batch["index"].tolist()]
        print(
            f"epoch {epoch}, rank {rank}: {rows} rows in {len(batches)} batches,"
            f" {tokens / (512 * rows):.1%} full, document {index[0]} first"
        )
        indices += index
    print("every document once:", sorted(indices) == [*range(2000)])
