#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Keeps the tables of docs/metrics/*.md equal to what the program says of each metric.

  tools/describe_metrics.py --lockstep build/release/bin/lockstep          # writes them
  tools/describe_metrics.py --lockstep build/release/bin/lockstep --check  # fails where they differ

A page is written by hand, but for what stands between the two marks: scores, smallest picture, backends and options,
which come from `lockstep features --long`. Every metric needs a page, and docs/metrics.md a line that links to it.
"""
import argparse
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = os.path.join(ROOT, "docs", "metrics")
INDEX = os.path.join(ROOT, "docs", "metrics.md")
BEGIN, END = "<!-- from the program: begin -->", "<!-- end -->"
OPTION = re.compile(r"    (\w+) \((\w+)(?:, in names: ([^,]+))?, default ([^,)]+)(?:, (.+))?\)")


def parse(text):
    """[(name, summary, {fact: value}, [(option, type, alias, default, range, meaning)])]"""
    metrics = []
    for block in text.strip().split("\n\n"):
        lines = block.split("\n")
        name, summary = lines[0].split(": ", 1)
        facts, options = {}, []
        for line, following in zip(lines[1:], lines[2:] + [""]):
            option = OPTION.fullmatch(line)
            if option:
                options.append([text or "" for text in option.groups()] + [following.strip()])
            elif re.match(r"  \w", line) and ": " in line:
                fact, value = line.strip().split(": ", 1)
                facts[fact] = value
        metrics.append((name, summary, facts, options))
    return metrics


def cell(text):
    return text.replace("|", "\\|")


def section(facts, options):
    scores = ", ".join("`%s`" % score for score in facts["scores"].split(", "))
    lines = [BEGIN, "| | |", "|---|---|", "| scores | %s |" % scores, "| smallest picture (4:2:0) | %s |" %
             facts["smallest picture"], "| backends | %s |" % facts["backends"], ""]
    if options:
        lines += ["| option | in names | type | default | range | meaning |", "|---|---|---|---|---|---|"]
        lines += ["| `%s` | %s | %s | %s | %s | %s |" % (name, "`%s`" % alias if alias else "", kind, cell(default),
                                                        cell(limits), cell(meaning))
                  for name, kind, alias, default, limits, meaning in options]
    else:
        lines.append("No options.")
    return "\n".join(lines + [END])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lockstep", default=os.path.join(ROOT, "build", "release", "bin", "lockstep"))
    parser.add_argument("--check", action="store_true", help="change nothing, fail where a page differs")
    options = parser.parse_args()
    text = subprocess.run([options.lockstep, "features", "--long"], check=True, capture_output=True, text=True).stdout
    with open(INDEX, encoding="utf-8") as file:
        index = file.read()
    problems = []
    metrics = parse(text)
    for name, _, facts, choices in metrics:
        path = os.path.join(PAGES, name + ".md")
        if "(metrics/%s.md)" % name not in index:
            problems.append("docs/metrics.md does not link to metrics/%s.md" % name)
        if not os.path.exists(path):
            problems.append("%s: no page" % name)
            continue
        with open(path, encoding="utf-8") as file:
            page = file.read()
        if page.count(BEGIN) != 1 or page.count(END) != 1:
            problems.append("%s: expected the marks '%s' and '%s' once each" % (name, BEGIN, END))
            continue
        before, rest = page.split(BEGIN)
        wanted = before + section(facts, choices) + rest.split(END)[1]
        if wanted != page and options.check:
            problems.append("docs/metrics/%s.md is not what the program says; run tools/describe_metrics.py" % name)
        elif wanted != page:
            with open(path, "w", encoding="utf-8") as file:
                file.write(wanted)
    known = {name for name, *_ in metrics}
    problems += ["docs/metrics/%s: no such metric" % page for page in sorted(os.listdir(PAGES))
                 if page[:-3] not in known]
    for problem in problems:
        print(problem, file=sys.stderr)
    print("metrics: %d pages, %d problems" % (len(metrics), len(problems)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
