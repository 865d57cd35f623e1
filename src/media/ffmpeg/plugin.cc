// SPDX-License-Identifier: BSD-2-Clause-Patent
// The one symbol of liblockstep_ffmpeg.so.
#include "media/ffmpeg/ffmpeg_reader.h"
#include "media/ffmpeg/sws_scaler.h"
#include "media/ffmpeg_library.h"

extern "C" [[gnu::visibility("default")]] const lockstep::FfmpegLibrary* LockstepFfmpegLibrary() {
  static constexpr lockstep::FfmpegLibrary kLibrary = {LOCKSTEP_VERSION, &lockstep::OpenFfmpeg,
                                                       &lockstep::MakeSwsScaler};
  return &kLibrary;
}
