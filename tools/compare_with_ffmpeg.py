#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Times `vmaf` against the libvmaf filter of a pinned FFmpeg on the same raw files, in turn: A B A B ...

  tools/compare_with_ffmpeg.py                          # 1920x1080, 8 bit, one thread, vmaf_v0.6.1
  tools/compare_with_ffmpeg.py --size 3840x2160 --depth 10 --threads 2
  tools/compare_with_ffmpeg.py --model vmaf_v1.0.16_3d0h
  tools/compare_with_ffmpeg.py --part vif --cpu avx2    # one metric; both on AVX2
  tools/compare_with_ffmpeg.py --part xpsnr             # against FFmpeg's own filter

FFmpeg is the static one of the PyPI wheel imageio-ffmpeg==0.8.1 (in .env/wheels after ./check --only packages, else
downloaded by pip), or --ffmpeg PATH. Clips are the bundled film, scaled, as raw files in memory (--folder), or
--reference and --distorted. What is compared are whole processes by the system's own accounting: wall time, CPU time of
all threads, peak memory. Each figure is the median of its runs, each ratio the median of the ratios run by run.
"""
import argparse
import glob
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WHEEL = "imageio-ffmpeg==0.8.1"
SAMPLES = os.path.join(ROOT, "docs", "samples")

# The scores of one metric, as a model's feature names.
PARTS = {"vif": ["VMAF_integer_feature_vif_scale%d_score" % scale for scale in range(4)],
         "adm": ["VMAF_integer_feature_adm2_score"],
         "motion": ["VMAF_integer_feature_motion2_score"],
         "cambi": ["Cambi_feature_cambi_score"],
         "speed_chroma": ["Speed_chroma_feature_speed_chroma_uv_score"],
         "speed_temporal": ["Speed_temporal_feature_speed_temporal_score"],
         "float_vif": ["VMAF_feature_vif_scale%d_score" % scale for scale in range(4)],
         "float_adm": ["VMAF_feature_adm2_score"],
         "float_motion": ["VMAF_feature_motion2_score"],
         "psnr": ["psnr_y"]}
PARTS.update({name: [name] for name in ("float_psnr", "float_ansnr", "float_ssim", "float_ms_ssim", "psnr_hvs")})
PARTS["ciede"] = ["ciede2000"]
# FFmpeg has a filter of its own for these.
FILTERS = ("xpsnr",)

# `xgetbv`, and `push 7; pop rax` in its place: the register state of AVX and no more. The upper half of its answer,
# in edx, is not looked at.
XGETBV, AVX_STATE = b"\x0f\x01\xd0", b"\x6a\x07\x58"
BLOCK = 1 << 20

# Of a model of one metric: so wide that its score still tells the metric's.
SCORE_CLIP = [-1e9, 1e9]


def find_ffmpeg(folder):
    """The wheel's ffmpeg, unpacked into `folder`."""
    wheels = glob.glob(os.path.join(ROOT, ".env", "wheels", "imageio_ffmpeg-*.whl"))
    if not wheels:
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", folder, WHEEL], check=True)
        wheels = glob.glob(os.path.join(folder, "imageio_ffmpeg-*.whl"))
    with zipfile.ZipFile(wheels[0]) as wheel:
        name = next(n for n in wheel.namelist() if "/binaries/ffmpeg-" in n)
        with wheel.open(name) as source, open(os.path.join(folder, "ffmpeg"), "wb") as target:
            shutil.copyfileobj(source, target)
            os.chmod(target.name, 0o755)
            return target.name


def without_avx512(ffmpeg, folder):
    """A copy that sees no AVX-512, because FFmpeg's filter has no option for libvmaf's instruction set."""
    path = os.path.join(folder, "ffmpeg_avx2")
    shutil.copyfile(ffmpeg, path)
    os.chmod(path, 0o755)
    found = 0
    # Block by block: what this process holds in memory would count as its children's.
    with open(path, "r+b") as file:
        for start in range(0, os.path.getsize(path), BLOCK):
            file.seek(start)
            block = file.read(BLOCK + len(XGETBV) - 1)
            found += block.count(XGETBV)
            file.seek(start)
            file.write(block.replace(XGETBV, AVX_STATE))
    if found == 0:
        sys.exit("%s asks for no register state: not an x86-64 program" % ffmpeg)
    return path


def make_clips(ffmpeg, folder, size, pixel_format, frames):
    """The bundled pair, scaled and repeated to `frames` pictures of raw video."""
    paths = []
    for role in ("reference", "distorted"):
        path = os.path.join(folder, "%s_%dx%d_%s.yuv" % (role, *size, pixel_format))
        subprocess.run([ffmpeg, "-v", "error", "-nostdin", "-y", "-stream_loop", "-1",
                        "-i", os.path.join(SAMPLES, "bunny_640x360_%s.mp4" % role),
                        "-vf", "scale=%d:%d:flags=bicubic" % size, "-pix_fmt", pixel_format,
                        "-frames:v", str(frames), "-f", "rawvideo", path], check=True)
        paths.append(path)
    return paths


def write_part_model(names, path):
    """A regression of one support vector over the scores of one metric: all the work is in the metric."""
    count = len(names)
    text = ("svm_type nu_svr\nkernel_type rbf\ngamma 0.04\nnr_class 2\ntotal_sv 1\nrho -0.5\nSV\n1.0 %s \n" %
            " ".join("%d:0.5" % (i + 1) for i in range(count)))
    model = {"param_dict": {"C": 4.0, "norm_type": "linear_rescale", "nu": 0.9, "gamma": 0.05,
                            "score_clip": SCORE_CLIP},
             "model_dict": {"model": text, "slopes": [0.01] + [0.5] * count, "intercepts": [0.0] * (count + 1),
                            "model_type": "LIBSVMNUSVR", "feature_names": names, "norm_type": "linear_rescale",
                            "score_clip": SCORE_CLIP, "feature_dict": {}}}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(model, file)


def run_once(command, environment):
    """Wall seconds, CPU seconds, peak memory in MiB, what it printed."""
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                   env={**os.environ, **environment})
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if process.returncode != 0:
        sys.exit("%s\nended with status %d:\n%s" % (" ".join(command), process.returncode, text))
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss / 1024.0, "text": text}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vmaf", default=os.path.join(ROOT, "build", "release", "bin", "vmaf"))
    parser.add_argument("--ffmpeg", help="an ffmpeg with the libvmaf filter (default: the wheel's)")
    parser.add_argument("--reference", help="raw video of --size, --depth and 4:2:0")
    parser.add_argument("--distorted")
    parser.add_argument("--size", default="1920x1080", metavar="WxH")
    parser.add_argument("--depth", type=int, default=8, choices=(8, 10, 12))
    parser.add_argument("--frames", type=int, default=60, help="length of the clips that are made")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--part", choices=sorted([*PARTS, *FILTERS]), help="this metric alone instead of a model")
    parser.add_argument("--model", default="vmaf_v0.6.1", help="a model that both have built in")
    parser.add_argument("--cpu", help="instruction set of vmaf (LOCKSTEP_CPU); with avx2, AVX-512 is hidden from libvmaf")
    parser.add_argument("--runs", type=int, default=7, help="counted runs of each, after one that is not counted")
    parser.add_argument("--folder", default="/dev/shm" if os.path.isdir("/dev/shm") else None,
                        help="where clips and copies are put while it runs")
    parser.add_argument("--json", help="write the figures of every run here")
    arguments = parser.parse_args()
    if (arguments.reference is None) != (arguments.distorted is None):
        parser.error("--reference and --distorted belong together")
    try:
        arguments.size = tuple(int(part) for part in arguments.size.split("x"))
        width, height = arguments.size
    except ValueError:
        parser.error("--size is WIDTHxHEIGHT")
    return arguments


def main():
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        ffmpeg = arguments.ffmpeg or find_ffmpeg(folder)
        pixel_format = "yuv420p" if arguments.depth == 8 else "yuv420p%dle" % arguments.depth
        if arguments.reference:
            reference, distorted = arguments.reference, arguments.distorted
        else:
            reference, distorted = make_clips(ffmpeg, folder, arguments.size, pixel_format, arguments.frames)
        width, height = arguments.size
        model = "version=" + arguments.model
        if arguments.part in PARTS:
            path = os.path.join(folder, "part.json")
            write_part_model(PARTS[arguments.part], path)
            model = "path=" + path
        if arguments.cpu == "avx2":
            ffmpeg = without_avx512(ffmpeg, folder)
        raw = ["-f", "rawvideo", "-s", "%dx%d" % (width, height), "-pix_fmt", pixel_format, "-r", "25"]
        graph = "libvmaf=n_threads=%d:model=%s" % (arguments.threads, model.replace("=", "\\="))
        wanted = ["-m", model]
        if arguments.part in FILTERS:
            graph = "[1][0]" + arguments.part
            wanted = ["--no_prediction", "--feature", arguments.part]
        theirs = [ffmpeg, "-v", "info", "-hide_banner", "-nostats", "-nostdin", "-filter_complex_threads",
                  str(arguments.threads), *raw, "-i", distorted, *raw, "-i", reference, "-lavfi", graph, "-f", "null", "-"]
        ours = [arguments.vmaf, "-r", reference, "-d", distorted, "-w", str(width), "-h", str(height), "-p", "420",
                "-b", str(arguments.depth), "--threads", str(arguments.threads), *wanted, "-q"]
        environment = {"LOCKSTEP_CPU": arguments.cpu} if arguments.cpu else {}
        runs = {"vmaf": [], "libvmaf": []}
        for turn in range(arguments.runs + 1):
            for name, command, more in (("vmaf", ours, environment), ("libvmaf", theirs, {})):
                result = run_once(command, more)
                if turn > 0:
                    runs[name].append(result)

    print("%dx%d, %d bit, %d thread%s, %s, %s; median of %d runs in turn" %
          (width, height, arguments.depth, arguments.threads, "s" if arguments.threads > 1 else "",
           arguments.part or arguments.model, arguments.cpu or "best instruction set", arguments.runs))
    print("%-12s %10s %10s %12s   %s" % ("", "wall s", "CPU s", "peak MiB", "score"))
    for name, results in runs.items():
        score = next((line.split(":")[-1].strip() for line in reversed(results[-1]["text"].splitlines())
                      if "VMAF score" in line or line.startswith(("vmaf", "/", "part"))), "?")
        print("%-12s %10.3f %10.3f %12.1f   %s" %
              (name, *(statistics.median(r[key] for r in results) for key in ("wall", "cpu", "memory")), score))
    ratios = {key: statistics.median(b[key] / a[key] for a, b in zip(runs["vmaf"], runs["libvmaf"]))
              for key in ("wall", "cpu", "memory")}
    print("libvmaf / vmaf: wall %.2f, CPU %.2f, memory %.2f" % (ratios["wall"], ratios["cpu"], ratios["memory"]))
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"ratios": ratios, "runs": runs}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
