// SPDX-License-Identifier: BSD-2-Clause-Patent
// The HIP plugin on a machine that need not have a device of AMD's.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/device_list.h"

namespace lockstep {
namespace {

TEST(HipPluginTest, EveryDeviceHasANameOrAReason) {
  const Result<const DeviceBackend*> backend = LoadDeviceBackend("hip");
  ASSERT_TRUE(backend) << backend.error().Describe();
  const std::vector<DeviceInfo> devices = ListBackendDevices("hip");
  ASSERT_FALSE(devices.empty());
  for (const DeviceInfo& device : devices) {
    EXPECT_EQ(device.backend, "hip");
    EXPECT_NE(device.name.empty(), device.unusable.empty()) << device.name << device.unusable;
  }
}

TEST(HipPluginTest, ADeviceThatIsNotThereIsRefusedWithAReason) {
  const bool has_devices = !ListBackendDevices("hip").front().name.empty();
  DeviceSelection selection;
  selection.device = "no such device";
  const Result<std::shared_ptr<Device>> device = OpenDevice("hip", selection);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, has_devices ? ErrorCode::kNotFound : ErrorCode::kUnsupported);
  const std::string expected = has_devices ? "there is no HIP device 'no such device'" : "finds no device (hipError";
  EXPECT_NE(device.error().message.find(expected), std::string::npos) << device.error().message;
}

}  // namespace
}  // namespace lockstep
