// SPDX-License-Identifier: BSD-2-Clause-Patent
// The only list of kernels, with bodies that the host can run.
#include "features/device/kernel_list.h"

#include <span>

#include "features/adm/adm_kernels.h"
#include "features/cambi/cambi_kernels.h"
#include "features/float_motion/float_motion_kernels.h"
#include "features/float_psnr/float_psnr_kernels.h"
#include "features/motion/motion_kernels.h"
#include "features/picture/picture_kernels.h"
#include "features/psnr/psnr_kernels.h"
#include "features/speed/speed_kernels.h"
#include "features/vif/vif_kernels.h"

namespace lockstep {
namespace {

#define LOCKSTEP_DESCRIBE(module, name, Args, ...) \
  {module, #name, sizeof(Args),                    \
   [](const KernelLaunch& launch, i32 item) { RunKernel<Args, __VA_ARGS__>(launch, item); }},
#define LOCKSTEP_PSNR(...) LOCKSTEP_DESCRIBE("psnr", __VA_ARGS__)
#define LOCKSTEP_FLOAT_PSNR(...) LOCKSTEP_DESCRIBE("float_psnr", __VA_ARGS__)
#define LOCKSTEP_MOTION(...) LOCKSTEP_DESCRIBE("motion", __VA_ARGS__)
#define LOCKSTEP_FLOAT_MOTION(...) LOCKSTEP_DESCRIBE("float_motion", __VA_ARGS__)
#define LOCKSTEP_VIF(...) LOCKSTEP_DESCRIBE("vif", __VA_ARGS__)
#define LOCKSTEP_ADM(...) LOCKSTEP_DESCRIBE("adm", __VA_ARGS__)
#define LOCKSTEP_CAMBI(...) LOCKSTEP_DESCRIBE("cambi", __VA_ARGS__)
#define LOCKSTEP_SPEED(...) LOCKSTEP_DESCRIBE("speed", __VA_ARGS__)
#define LOCKSTEP_PICTURE(...) LOCKSTEP_DESCRIBE("picture", __VA_ARGS__)

constexpr KernelDescription kKernels[] = {
    LOCKSTEP_PSNR_KERNELS(LOCKSTEP_PSNR)                  //
    LOCKSTEP_FLOAT_PSNR_KERNELS(LOCKSTEP_FLOAT_PSNR)      //
    LOCKSTEP_MOTION_KERNELS(LOCKSTEP_MOTION)              //
    LOCKSTEP_FLOAT_MOTION_KERNELS(LOCKSTEP_FLOAT_MOTION)  //
    LOCKSTEP_VIF_KERNELS(LOCKSTEP_VIF)                    //
    LOCKSTEP_ADM_KERNELS(LOCKSTEP_ADM)                    //
    LOCKSTEP_CAMBI_KERNELS(LOCKSTEP_CAMBI)                //
    LOCKSTEP_SPEED_KERNELS(LOCKSTEP_SPEED)                //
    LOCKSTEP_PICTURE_KERNELS(LOCKSTEP_PICTURE)            //
};

}  // namespace

std::span<const KernelDescription> KernelList() { return kKernels; }

}  // namespace lockstep
