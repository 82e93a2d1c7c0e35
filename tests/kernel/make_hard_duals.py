#!/usr/bin/env python3
"""hard_duals.json: E[relu(u) relu(v)] and its derivative in c at points where the textbook formula loses digits.

(a, b, c) are doubles, written in hexadecimal; the values are exact for those doubles, to 20 digits (mpmath).
Usage: python3 make_hard_duals.py > hard_duals.json     (Debian: python3-mpmath)
"""
import json
import random

from mpmath import atan2, mp, mpf, nstr, pi, sqrt

mp.dps = 80


def exact(a, b, c):
    a, b, c = mpf(a), mpf(b), mpf(c)
    r = sqrt(a * b - c * c)
    phi = atan2(r, c)
    return (r + (pi - phi) * c) / (2 * pi), (pi - phi) / (2 * pi)


def main():
    rng = random.Random(11)
    points = []
    while len(points) < 600:
        a, b = (2.0 ** rng.uniform(-40, 40) for _ in range(2))
        limit = sqrt(mpf(a) * mpf(b))
        if len(points) % 3 == 0:
            c = float(limit * mpf(rng.uniform(-1, 1)))
        else:
            gap = mpf(2) ** -rng.uniform(2, 50)
            c = float(limit * (1 - gap)) * rng.choice((-1, 1))
        if abs(mpf(c)) >= limit:
            continue
        value, derivative = exact(a, b, c)
        points.append(dict(a=a.hex(), b=b.hex(), c=c.hex(), value=nstr(value, 20), derivative=nstr(derivative, 20)))
    print(json.dumps(dict(generator="make_hard_duals.py, mpmath, 80 digits", points=points), indent=0))


main()
