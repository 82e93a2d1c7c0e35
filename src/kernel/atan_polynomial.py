#!/usr/bin/env python3
"""Coefficients of AtanDefect in angle-inl.hpp: the polynomial in u = t² on [0, 1] closest, in relative error, to
(t - atan t)/t³ (Remez exchange at 60 digits). Prints the largest relative error and the coefficients.

Usage: python3 atan_polynomial.py DEGREE     (Debian: python3-mpmath)
"""
import sys

from mpmath import atan, cos, lu_solve, matrix, mp, mpf, nstr, pi, sqrt

mp.dps = 60
GRID = [(1 - cos(pi * k / 1200)) / 2 for k in range(1201)]


def target(u):
    if u < mpf(10) ** -8:
        return mpf(1) / 3 - u / 5 + u**2 / 7 - u**3 / 9 + u**4 / 11
    t = sqrt(u)
    return (t - atan(t)) / t**3


def horner(coefficients, u):
    value = mpf(0)
    for c in reversed(coefficients):
        value = value * u + c
    return value


def exchange(points, terms):
    """The polynomial whose relative error alternates with equal size on the points, and its errors on GRID."""
    system, right = matrix(terms + 1, terms + 1), matrix(terms + 1, 1)
    for i, u in enumerate(points):
        for j in range(terms):
            system[i, j] = u**j / target(u)
        system[i, terms], right[i] = (-1) ** i, 1
    solution = lu_solve(system, right)
    coefficients = [solution[j] for j in range(terms)]
    return coefficients, [horner(coefficients, u) / target(u) - 1 for u in GRID]


def extrema(errors):
    inner = [k for k in range(1, 1200) if (errors[k] - errors[k - 1]) * (errors[k + 1] - errors[k]) <= 0]
    chosen = []
    for k in [0] + inner + [1200]:
        if chosen and (errors[chosen[-1]] > 0) == (errors[k] > 0):
            if abs(errors[k]) > abs(errors[chosen[-1]]):
                chosen[-1] = k
        else:
            chosen.append(k)
    return chosen


def main(degree):
    terms = degree + 1
    points = [(1 - cos(pi * (2 * k + 1) / (2 * (terms + 1)))) / 2 for k in range(terms + 1)]
    for _ in range(8):
        coefficients, errors = exchange(points, terms)
        chosen = extrema(errors)
        if len(chosen) < terms + 1:
            break
        points = [GRID[k] for k in chosen[: terms + 1]]
    print("largest relative error", nstr(max(abs(e) for e in errors), 4))
    for c in coefficients:
        print(float(c).hex())


main(int(sys.argv[1]))
