#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Every test clip on a device: all metrics and the models, bit by bit against the processor.

`lockstep parity` compares facts and scores of every metric on each pair of clips; `vmaf` compares whole reports of the
built-in models. A metric that the processor can score and the device cannot is a failure.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "golden"))
import run_goldens  # noqa: E402  (its Clips makes and checks the clips)

# The CPU device is slow: larger pictures with --all only, and the first frames of each clip.
PIXELS = 1300 * 800
FRAMES = 3
MODELS = ["vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1", "vmaf_4k_v0.6.1neg", "vmaf_b_v0.6.3"]
MODEL_CLIPS = ["tex_576x324_420_8", "tex_257x145_422_10", "noise_33x33_420_16"]
SOME_V1_MODELS = ["vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_3d0h_2160"]
# From 1920x1080 on cambi works at half the size.
V1_CLIPS = ["n_bbb_1280x720_x264_35", "n_bikes_640x272_444_10_x265_34", "n_bbb_1920x1080_x264_30"]


def raw(recipe, names):
    values = [recipe["w"], recipe["h"], recipe["fmt"], recipe["depth"]]
    return [str(word) for pair in zip(names, values) for word in pair]


def run(command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False)


def compare_metrics(options, clips, clip):
    """(values, differences, cells, problem)"""
    recipe = clips.recipes[clip]
    result = run([os.path.join(options.bin, "lockstep"), "parity", *clips.paths(clip), "--backends", options.backend,
                  "--default-options", "--frames", str(FRAMES), "--json", "-",
                  *raw(recipe, ["--width", "--height", "--pixel-format", "--bit-depth"])])
    try:
        report = json.loads(result.stdout)
    except ValueError:
        return 0, 0, 0, "%s: no report: %s" % (clip, result.stderr.strip())
    cells = report["cells"]
    bad = [cell for cell in cells if cell["state"] != "equal"]
    problem = None
    if bad:
        problem = "%s: %s %s: %s %s" % (clip, bad[0]["feature"], bad[0]["target"], bad[0]["state"],
                                        bad[0].get("detail", ""))
    elif result.returncode != 0 or not cells:
        problem = "%s: status %d, %d cells: %s" % (clip, result.returncode, len(cells), result.stderr.strip())
    return sum(c["values"] for c in cells), sum(c["differences"] for c in cells), len(cells), problem


def compare_model(options, clips, model, clip):
    """What differs, or None."""
    reference, distorted = clips.paths(clip)
    reports = []
    for backend in ("cpu", options.backend):
        result = run([os.path.join(options.bin, "vmaf"), "-r", reference, "-d", distorted,
                      *raw(clips.recipes[clip], ["-w", "-h", "-p", "-b"]), "--model", "version=" + model, "--backend", backend,
                      "--precision", "max", "--csv", "-o", "-"])
        reports.append(result.stdout)
        if result.returncode != 0 or result.stdout.count("\n") < 2:
            return "%s on %s, %s: status %d: %s" % (model, clip, backend, result.returncode, result.stderr.strip())
    if reports[0] != reports[1]:
        return "%s on %s: the reports differ" % (model, clip)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"))
    parser.add_argument("--clips", default=os.path.join(ROOT, "build", "clips"))
    parser.add_argument("--wheels", default=os.path.join(ROOT, ".env", "wheels"))
    parser.add_argument("--backend", default="sycl")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--all", action="store_true", help="the large clips as well")
    options = parser.parse_args()
    clips = run_goldens.Clips(options.clips, options.wheels)
    chosen = sorted(clip for clip, recipe in clips.recipes.items()
                    if options.all or recipe["w"] * recipe["h"] <= PIXELS)
    clips.ensure(sorted({*chosen, *V1_CLIPS}))
    values = differences = cells = 0
    problems = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda clip: compare_metrics(options, clips, clip), chosen):
            values, differences, cells = values + result[0], differences + result[1], cells + result[2]
            if result[3]:
                problems.append(result[3])
        pairs = [(model, clip) for model in MODELS for clip in MODEL_CLIPS]
        pairs += [(model, V1_CLIPS[0]) for model in run_goldens.V1_MODELS]
        pairs += [(model, clip) for model in SOME_V1_MODELS for clip in V1_CLIPS[1:]]
        problems += filter(None, pool.map(lambda pair: compare_model(options, clips, *pair), pairs))
    for problem in problems[:20]:
        print(problem)
    print("%d clips on %s: %d of %d values differ in %d cells; %d pairs of model and clip; %d problems" %
          (len(chosen), options.backend, differences, values, cells, len(pairs), len(problems)))
    return 1 if problems or not cells else 0


if __name__ == "__main__":
    sys.exit(main())
