import torch

from tilewise.softmax import naive_softmax, safe_softmax

scores = [1000.0, 1000.0]
print("safe  ", safe_softmax(scores))
try:
    naive_softmax(scores)
except OverflowError as error:
    print("naive ", error)

x = torch.tensor(scores)
print("torch ", (x.exp() / x.exp().sum()).tolist())
for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
    limit = torch.tensor(torch.finfo(dtype).max, dtype=torch.float64).log()
    print(f"{str(dtype):15} e^x overflows past x = {limit:.2f}")
