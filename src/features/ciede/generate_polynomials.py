#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Prints the coefficients in ciede_elementary_lanes-inl.h and their errors; needs mpmath.

Each is a Chebyshev interpolation of what is left of a function without its first terms, rounded to binary64.
"""
from mpmath import atan, chebyfit, cos, exp, log, mp, mpf, sin, sqrt

mp.prec = 200
SAMPLES = 2001


def sine(square):
    """sin(x) = x + x^3 f(x^2)"""
    x = sqrt(square)
    return (sin(x) / x - 1) / square


def cosine(square):
    """cos(x) = 1 - x^2 / 2 + x^4 f(x^2)"""
    x = sqrt(square)
    return (cos(x) - 1 + square / 2) / square ** 2


def arctangent(square):
    """atan(x) = x + x^3 f(x^2)"""
    x = sqrt(square)
    return (atan(x) / x - 1) / square


def exponential(x):
    """exp(x) = 1 + x + x^2 f(x)"""
    return (exp(x) - 1 - x) / x ** 2


def report(function, low, high, count, weight):
    low, high = mpf(low), mpf(high)
    terms = [mpf(float(term)) for term in reversed(chebyfit(function, [low, high], count))]
    error = mpf(0)
    for i in range(SAMPLES + 1):
        x = low + (high - low) * i / SAMPLES
        error = max(error, abs((sum(term * x ** k for k, term in enumerate(terms)) - function(x)) * weight(x)))
    print("%s, error 2^%.2f:" % (function.__name__, float(log(error, 2))))
    print("    " + ", ".join(repr(float(term)) for term in terms))


def main():
    # Below the least square that occurs the terms left out vanish, and the quotients lose all digits.
    tiny = mpf(2) ** -60
    report(sine, tiny, mpf("1.5709") ** 2, 8, lambda square: square)
    report(cosine, tiny, mpf("1.5709") ** 2, 7, lambda square: square ** 2)
    report(arctangent, tiny, mpf("0.4143") ** 2, 11, lambda square: square)
    report(exponential, mpf("-0.36"), mpf("0.36"), 10, lambda x: x ** 2)


if __name__ == "__main__":
    main()
