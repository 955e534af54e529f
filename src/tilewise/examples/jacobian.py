from fractions import Fraction

p = [Fraction(x, 9) for x in (2, 2, 1, 4)]  # row 1 of P
dp = [0, 9, -9, 9]  # row 1 of dP = dO Vᵀ
keys = range(4)

# the long way: all 16 entries of softmax's Jacobian, ∂p_i / ∂s_j = p_i ([i = j] − p_j)
jacobian = [[p[i] * ((i == j) - p[j]) for j in keys] for i in keys]
long = [sum(dp[i] * jacobian[i][j] for i in keys) for j in keys]

# the short way: one number for the whole row
delta = sum(p[i] * dp[i] for i in keys)
short = [p[j] * (dp[j] - delta) for j in keys]

print("delta  ", delta)
print("ds     ", *short)
print("equal  ", long == short)
print("sum    ", sum(short))
