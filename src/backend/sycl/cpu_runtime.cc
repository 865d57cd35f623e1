// SPDX-License-Identifier: BSD-2-Clause-Patent
// Intel's OpenCL runtime for processors, when it lies beside libsycl, as it does in PyPI's packages.
#include "backend/sycl/cpu_runtime.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <sycl/sycl.hpp>
#include <system_error>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// The loaded library whose file name begins so; empty when there is none. The address of a function would not do: in a
// program it may be that of the program's own jump to it.
fs::path LoadedLibrary(std::string_view begin) {
  struct Search {
    std::string_view begin;
    fs::path found;
  } search{begin, {}};
  const auto look = [](dl_phdr_info* object, std::size_t /*size*/, void* data) {
    auto* const wanted = static_cast<Search*>(data);
    const fs::path path = object->dlpi_name;
    if (!path.filename().string().starts_with(wanted->begin)) return 0;
    wanted->found = path;
    return 1;
  };
  ::dl_iterate_phdr(look, &search);
  std::error_code error;
  fs::path real = fs::canonical(search.found, error);
  return error ? fs::path() : real;
}

fs::path CpuRuntime() {
  const fs::path library = LoadedLibrary("libsycl.so");
  if (library.empty()) return {};
  const fs::path runtime = library.parent_path() / "libintelocl.so";
  std::error_code error;
  return fs::exists(runtime, error) ? runtime : fs::path();
}

// The environment is the only way to tell an OpenCL loader about a driver.
void SetVariable(const char* name, const fs::path& value) {
  ::setenv(name, value.c_str(), 0);  // NOLINT(concurrency-mt-unsafe): see above
}

// A folder of drivers as OpenCL loaders read it, with those of the system and one more; removed at the end.
class DriverFolder {
 public:
  explicit DriverFolder(const fs::path& driver) {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "lockstep-opencl-XXXXXX").string();
    if (error || ::mkdtemp(name.data()) == nullptr) return;
    path_ = name;
    fs::directory_iterator system("/etc/OpenCL/vendors", error);
    for (; !error && system != fs::directory_iterator(); system.increment(error)) {
      std::error_code ignored;
      fs::create_symlink(system->path(), path_ / system->path().filename(), ignored);
    }
    std::ofstream(path_ / "lockstep_cpu.icd") << driver.string() << "\n";
  }
  DriverFolder(const DriverFolder&) = delete;
  DriverFolder& operator=(const DriverFolder&) = delete;
  ~DriverFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool HasVariable(const char* name) {
  return std::getenv(name) != nullptr;  // NOLINT(concurrency-mt-unsafe): see SetVariable()
}

struct LoadState {
  std::string reason;  // why the CPU runtime could not be made known
};

void LookForDrivers() {
  try {
    static_cast<void>(sycl::platform::get_platforms());
  } catch (const std::exception&) {
    // Comes again when devices are listed, where somebody can be told.
    return;
  }
}

LoadState LoadOnce() {
  LoadState state;
  const fs::path runtime = CpuRuntime();
  if (!runtime.empty() && !HasVariable("OCL_ICD_FILENAMES") && !HasVariable("OCL_ICD_VENDORS")) {
    const fs::path loader = LoadedLibrary("libOpenCL.so");
    if (loader.empty() || loader.parent_path() == runtime.parent_path()) {
      SetVariable("OCL_ICD_FILENAMES", runtime);
      LookForDrivers();
      // Drivers are looked for once; programs that ours starts shall find the variable as it was.
      ::unsetenv("OCL_ICD_FILENAMES");  // NOLINT(concurrency-mt-unsafe): see SetVariable()
    } else {
      // FFmpeg's libraries have loaded the system's OpenCL loader, which SYCL then has to use. Debian's does not know
      // that variable but reads a folder, once.
      const DriverFolder folder(runtime);
      if (folder.path().empty()) {
        state.reason = "; no folder of drivers could be made where temporary files go (TMPDIR)";
      } else {
        SetVariable("OCL_ICD_VENDORS", folder.path());
      }
      LookForDrivers();
      ::unsetenv("OCL_ICD_VENDORS");  // NOLINT(concurrency-mt-unsafe): see SetVariable()
    }
    return state;
  }
  LookForDrivers();
  return state;
}

const LoadState& Loaded() {
  static const LoadState state = LoadOnce();
  return state;
}

}  // namespace

void LoadDrivers() { static_cast<void>(Loaded()); }

std::string CpuRuntimeState() {
  const fs::path runtime = CpuRuntime();
  if (runtime.empty()) return {};
  // Stays loaded when it can be: its threads may already run.
  if (::dlopen(runtime.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) {
    return runtime.string() + " can be loaded, but no device of it is there" + Loaded().reason;
  }
  const char* const reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): errors are kept for each thread
  std::string text = reason != nullptr ? reason : runtime.string();
  if (text.find("tbb") != std::string::npos) {
    text += "; this process has loaded an older oneTBB, which LD_LIBRARY_PATH=" + runtime.parent_path().string() +
            " prevents";
  }
  return text;
}

}  // namespace lockstep
