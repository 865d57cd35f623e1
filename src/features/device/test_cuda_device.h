// SPDX-License-Identifier: BSD-2-Clause-Patent
// For the GPU tests of metrics with kernels tuned for CUDA: a device that runs them, or a failure.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "backend/device_list.h"

namespace lockstep::test_run {

class CudaGpuTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<std::shared_ptr<Device>> device = OpenDevice("cuda", {});
    ASSERT_TRUE(device) << device.error().Describe();
    device_ = *device;
    ASSERT_EQ(device_->properties().traits.tuned, "cuda80") << "the tuned kernels are not what runs here";
  }

  std::shared_ptr<Device> device_;
};

}  // namespace lockstep::test_run
