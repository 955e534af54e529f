from functools import reduce
from itertools import accumulate

from tilewise.trace import forward, start, step, tiles
from tilewise.worked_example import SCALE, K, Q, V

blocks = list(tiles(Q, K, V, 2, 2, scale=SCALE))
fold = reduce(step, blocks, start(Q, V))
scan = list(accumulate(blocks, step, initial=start(Q, V)))
*_, last = forward(Q, K, V, 2, 2, scale=SCALE)

print(fold["o"])
print(fold["o"] == scan[-1]["o"] == last["o"])
