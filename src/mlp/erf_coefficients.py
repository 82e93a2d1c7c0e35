"""Prints the tables of erf-inl.hpp with their largest relative errors. Needs mpmath.

erf(x) = x · P(x²) for |x| <= 1. For x >= 0, erfc(x) = e^(-x²) · t · Q(1 - 2t) with t = 3/(3 + x), up to the x whose erfc
is 0 in the number type. The 3 makes the degrees small.
"""
from mpmath import chebyfit, erf, erfc, exp, mp, mpf, nstr, pi, polyval, sqrt

mp.dps = 40


def erf_over_x(square):
    return erf(sqrt(square)) / sqrt(square) if square > 0 else 2 / sqrt(pi)


def scaled_erfc(s):
    t = (1 - s) / 2
    x = 3 / t - 3
    return exp(x * x) * erfc(x) / t


def table(name, function, low, high, degree):
    coefficients = chebyfit(function, [mpf(low), mpf(high)], degree + 1)
    points = [low + (high - low) * mpf(i) / 500 for i in range(501)]
    error = max(abs(polyval(coefficients, x) / function(x) - 1) for x in points)
    print(f"// {name}, degree {degree}, error {nstr(error, 2)}")
    print(",\n".join(nstr(c, 19) for c in coefficients))


for number, degree, tail_degree, end in (("float", 6, 9, mpf("10.1")), ("double", 11, 22, mpf("27.3"))):
    table(f"{number}: erf(x)/x in x²", erf_over_x, 0, 1, degree)
    table(f"{number}: e^(x²) erfc(x)/t in 1 - 2t", scaled_erfc, -1, 1 - 6 / (3 + end), tail_degree)
