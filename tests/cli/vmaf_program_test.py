#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The built `vmaf` program as a shell sees it: streams, files, exit statuses. LOCKSTEP_BIN is the folder of programs."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

from program_run import ProgramTest, video_bytes

PAIR = ["-r", "ref.y4m", "-d", "dis.y4m"]
PSNR = [*PAIR, "-n", "--feature", "psnr"]


def test_refusals(t):
    t.refuse(1, ["reference"])
    t.refuse(1, ["distorted"], "-r", "ref.y4m")
    t.refuse(1, ["--frobnicate", "--feature", "--subsample"], *PAIR, "--frobnicate")
    t.refuse(1, ["-z"], *PAIR, "-z")
    t.refuse(1, ["stray"], *PAIR, "stray")
    t.refuse(1, ["--threads", "abc"], *PAIR, "--threads", "abc")
    t.refuse(1, ["--threads", "-1"], *PAIR, "--threads", "-1")
    t.refuse(1, ["--subsample", "2x"], *PAIR, "--subsample", "2x")
    t.refuse(1, ["--cpumask", "none"], *PAIR, "--cpumask", "none")
    t.refuse(1, ["perc5", "harmonic_mean", "p5"], *PAIR, "--pool", "perc5")
    t.refuse(1, ["--precision", "legacy"], *PAIR, "--precision", "18")
    t.refuse(1, ["gpu", "cpu", "sycl"], *PAIR, "--backend", "gpu")
    t.refuse(1, ["width", "bitdepth"], *PAIR, "-w", "64", "-h", "48")
    t.refuse(1, ["nonsense", "psnr"], *PAIR, "--feature", "nonsense")
    t.refuse(1, ["frobnicate", "enable_mse"], *PAIR, "--feature", "psnr=frobnicate=true")
    t.refuse(1, ["enable_mse"], *PAIR, "--feature", "psnr=enable_mse=perhaps")
    t.refuse(1, ["nonsense", "vmaf_v0.6.1"], *PAIR, "-m", "version=nonsense")
    t.refuse(1, ["vmaf"], *PAIR, "-m", "version=vmaf_v0.6.1", "-m", "version=vmaf_v0.6.1neg")
    t.refuse(255, ["missing.json"], *PAIR, "-m", "path=missing.json")
    t.refuse(255, ["missing.y4m"], "-r", "missing.y4m", "-d", "dis.y4m")
    t.refuse(255, [t.folder], "-r", t.folder, "-d", "dis.y4m")
    t.refuse(255, ["nowhere/r.xml", "nowhere"], *PAIR, "-o", "nowhere/r.xml")
    t.refuse(255, ["directory"], *PAIR, "-o", ".")
    t.refuse(255, ["dis.y4m", "input"], *PAIR, "-o", "dis.y4m")
    t.refuse(255, ["?[31m"], "-r", "\x1b[31m.y4m", "-d", "dis.y4m")


def test_streams(t):
    result = t.run(*PAIR)
    t.check(result.returncode == 0 and result.stdout == "", "scores do not go to standard output", result)
    t.check(re.fullmatch(r"vmaf_v0\.6\.1: \d+\.\d{6}\n", result.stderr), "the score without a terminal", result)

    result = t.run(*PAIR, "-q", "-o", "r.xml")
    t.check(result.returncode == 0 and result.stderr == "", "quiet with a report", result)
    t.check(ElementTree.parse(t.path("r.xml")).getroot().tag == "VMAF", "XML is the default", result)
    os.unlink(t.path("r.xml"))

    result = t.run(*PAIR, "-q")
    t.check(result.stderr.startswith("vmaf_v0.6.1: "), "quiet without a report prints the score", result)

    result = t.run(*PAIR, "--pool", "min,p5,mean", "--precision", "max")
    t.check(re.fullmatch(r"(vmaf_v0\.6\.1 (min|p5|mean): \S+\n){3}", result.stderr), "three pool methods", result)

    result = t.run(*PSNR, "--json", "-o", "-")
    t.check(result.returncode == 0 and len(json.loads(result.stdout)["frames"]) == 3, "report on stdout", result)

    result = t.run("--version")
    t.check(result.returncode == 0 and result.stdout == "" and result.stderr.startswith("lockstep "), "version", result)
    result = t.run("--help")
    t.check(result.returncode == 0 and "--feature" in result.stdout and result.stderr == "", "help", result)


def test_terminal(t):
    status, shown = t.run_on_terminal(*PAIR)
    t.check(status == 0 and "VMAF version lockstep" in shown, f"banner on a terminal: {shown!r}")
    t.check("FPS" in shown and "vmaf_v0.6.1: " in shown, f"progress and score on a terminal: {shown!r}")
    status, shown = t.run_on_terminal(*PAIR, "--quiet")
    t.check(status == 0 and "FPS" not in shown and "version" not in shown, f"quiet on a terminal: {shown!r}")


def test_prediction_switched_off(t):
    result = t.run(*PAIR, "-n", "-m", "version=vmaf_b_v0.6.3:name=boot", "--json", "-o", "-", "--feature", "psnr")
    report = json.loads(result.stdout)
    names = set(report["pooled_metrics"])
    t.check({"integer_adm2", "psnr_y"} <= names, "the model's features are scored", result)
    t.check(not any(name.startswith("boot") for name in names) and report["models"] == [], "no predictions", result)
    t.check(":" not in result.stderr, "no score printed", result)


def test_warnings(t):
    for pair in (("ref.y4m", "short.y4m"), ("short.y4m", "ref.y4m")):
        arguments = ["-r", pair[0], "-d", pair[1], "-n", "--feature", "psnr", "-o", "r.json", "--json"]
        result = t.run(*arguments)
        t.check(result.returncode == 0 and '"short.y4m" ended before "ref.y4m"' in result.stderr, "length", result)
        t.check(len(json.loads(t.read("r.json"))["frames"]) == 2, "the common part is scored", result)
        os.unlink(t.path("r.json"))
        t.refuse(255, ["short.y4m"], *arguments, "--strict")


def test_default_model_is_a_decision(t):
    report = json.loads(t.run(*PAIR, "--json", "-o", "-").stdout)
    t.check(any("vmaf_v0.6.1" in d["text"] for d in report["decisions"]), f"decisions: {report['decisions']}")
    report = json.loads(t.run(*PAIR, "-m", "version=vmaf_v0.6.1", "--json", "-o", "-").stdout)
    t.check(report["decisions"] == [], f"decisions: {report['decisions']}")


def test_redirections(t):
    with open(t.path("log"), "w", encoding="utf-8") as log:
        log.write("before\n")
        log.flush()
        t.run(*PSNR, "--csv", "-o", "/dev/stdout", stdout=log)
        t.run(*PSNR, "--csv", "-o", "-", stdout=log)
    lines = t.read("log").splitlines()
    t.check(lines[0] == "before" and sum(line.startswith("Frame,") for line in lines) == 2, f"appended: {lines}")

    reader, writer = os.pipe()
    os.close(reader)
    result = t.run(*PSNR, "-o", "-", stdout=writer)
    os.close(writer)
    t.check(result.returncode == 255 and "cannot write" in result.stderr, "a reader that went away", result)


def test_closed_standard_error(t):
    command = [t.program, *PSNR, "-o", "r.xml"]
    done = subprocess.run(["sh", "-c", 'exec "$@" 2>&-', "sh", *command], cwd=t.folder, stdin=subprocess.DEVNULL,
                          timeout=120, check=False)
    t.check(done.returncode == 0 and "<VMAF" in t.read("r.xml"), f"closed standard error: {done.returncode}")
    os.unlink(t.path("r.xml"))


def test_interruption(t):
    """A run that waits for a pipe stops on a signal and writes nothing; an older report stays."""
    t.write("r.json", b"older")
    for number in (signal.SIGINT, signal.SIGTERM):
        command = [t.program, "-r", "-", "-d", "dis.y4m", "--json", "-o", "r.json"]
        with subprocess.Popen(command, cwd=t.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdin.write(video_bytes(frames=1))
            process.stdin.flush()
            # The first picture has to arrive; too short a wait only makes the case easier.
            time.sleep(0.5)
            process.send_signal(number)
            started = time.monotonic()
            status = process.wait(timeout=60)
            t.check(status == 128 + number, f"status {status} after signal {number}")
            t.check(time.monotonic() - started < 30, "stops soon")
    t.check(t.read("r.json") == "older", "the older report is untouched")
    t.check(not [name for name in os.listdir(t.folder) if ".tmp" in name], "no temporary files")


def main():
    t = ProgramTest("vmaf")
    for test in (test_refusals, test_streams, test_terminal, test_prediction_switched_off, test_warnings,
                 test_default_model_is_a_decision, test_redirections, test_closed_standard_error, test_interruption):
        test(t)
    return t.finish()


if __name__ == "__main__":
    sys.exit(main())
