// SPDX-License-Identifier: BSD-2-Clause-Patent
// Where exceptions of the libraries below end: the end of a thread, or of the library.
#pragma once

#include <exception>
#include <new>

#include "lockstep/result.h"

namespace lockstep {

/// call(), which returns a Status or a Result, or what it threw as an error.
///
/// in      out_of_memory the text for std::bad_alloc. Where nothing above could catch what the handler itself throws,
/// it
///         is so short that a string holds it without memory.
/// errors  kOutOfMemory; kInternal, with the exception's text; those of call()
template <class Call>
auto WithoutExceptions(const char* out_of_memory, Call&& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, out_of_memory, {}, {}, {}};
  } catch (const std::exception& failure) {
    return Error{ErrorCode::kInternal, failure.what(), {}, {}, {}};
  }
}

}  // namespace lockstep
