"""A head of MLA over its cache, with the projections where they are cheap."""

from tilewise.exercises.plain import matrix, numbers, output, row

# --8<-- [start:softmax]
from tilewise.softmax import safe_softmax

# --8<-- [end:softmax]


# --8<-- [start:solution]
def latent_row(q, q_rope, cache, w_k, w_v):
    """(query, o) of one head for one query, in the absorbed form.

    A row of the cache is a latent vector c, followed by a rotated key as long as
    q_rope. w_k and w_v have a row for each number of c. The key of the head is c w_k,
    as long as q, followed by the rotated key, and its value is c w_v. Scores have the
    scale of the head, 1/√(len(q) + len(q_rope)). The query that is returned is q with
    w_k absorbed into it, followed by q_rope: its product with a row of the cache is
    the score before scaling.
    """

    def dot(a, b):
        return sum(x * y for x, y in zip(a, b))

    query = [dot(q, w) for w in w_k] + q_rope
    scale = (len(q) + len(q_rope)) ** -0.5
    p = safe_softmax([scale * dot(query, x) for x in cache])
    c = [dot(p, column) for column in zip(*cache)]  # the weighted mean of rows
    return query, [dot(c, column) for column in zip(*w_v)]  # zip drops the rotated part
    # --8<-- [end:solution]


SOLUTION = latent_row
WRONG = """
scale_of_the_cache: The scale is that of the longer, absorbed query.
  (len(q) + len(q_rope)) ** → len(query) **
scale_without_rope: The scale forgets the rotated part.
  (len(q) + len(q_rope)) ** → len(q) **
rotated_part_left_out: Scores come from the latent vectors alone.
  dot(query, x) for x in cache → dot(query, x[: len(w_v)]) for x in cache
rotated_key_first: The rotated part is taken to come first.
  [dot(q, w) for w in w_k] + q_rope → q_rope + [dot(q, w) for w in w_k]
projected_the_wrong_way: q is multiplied by w_k, and not by its transpose.
  for w in w_k] + → for w in zip(*w_k)] +
not_projected_back: o is the mean of the latent vectors.
  return query, [dot(c, column) for column in zip(*w_v)] → return query, c[:len(w_v)]
"""


def cases():
    cache = [[1, 0, 2], [0, 1, 2]]
    w_k, w_v = [[1, 2], [1, 2]], [[4], [8]]
    yield "example", [[3, 1], [5], cache, w_k, w_v], ([5, 5, 5], [6])
    source = numbers(41)
    for n, d, rope, latent, d_v in ((5, 2, 1, 4, 3), (1, 3, 2, 5, 2), (7, 4, 3, 6, 4)):
        yield case("random", source, n, d, rope, latent, d_v)
    yield case("square", source, 4, 3, 2, 3, 3)
    yield case("without", source, 5, 3, 0, 4, 2)


def case(check, source, n, d, rope, latent, d_v):
    """Every key and value written out, for each token."""
    cache = [[x / 4 for x in line] for line in matrix(source, n, latent + rope)]
    w_k, w_v = matrix(source, latent, d), matrix(source, latent, d_v)
    q, q_rope = row(source, d), row(source, rope)
    s, values = [], []
    for line in cache:
        c = line[:latent]
        key = [sum(c[i] * w_k[i][x] for i in range(latent)) for x in range(d)]
        values.append(
            [sum(c[i] * w_v[i][x] for i in range(latent)) for x in range(d_v)]
        )
        whole = zip(q + q_rope, key + line[latent:])
        s.append(sum(x * y for x, y in whole) / (d + rope) ** 0.5)
    query = [sum(q[x] * w_k[i][x] for x in range(d)) for i in range(latent)] + q_rope
    return check, [q, q_rope, cache, w_k, w_v], (query, output(s, values))
