# SPDX-License-Identifier: BSD-2-Clause-Patent
# Writes OUTPUT, a C++ source with the text of every model file in MODELS; run by `cmake -P`.
file(GLOB files ${MODELS}/*.json)
list(SORT files)
set(source "// Made from models/ by embed_models.cmake.
#include \"model/model_figures.h\"

namespace lockstep {
namespace {
using std::string_view_literals::operator\"\"sv;
constexpr ModelFigures kFigures[] = {
")
foreach(file IN LISTS files)
  get_filename_component(version ${file} NAME)
  string(REGEX REPLACE "\\.json$" "" version ${version})
  file(READ ${file} text)
  string(APPEND source "    {\"${version}\"sv, R\"figures(${text})figures\"sv},\n")
endforeach()
string(APPEND source "};
}  // namespace

std::span<const ModelFigures> AllModelFigures() { return kFigures; }

}  // namespace lockstep
")
file(WRITE ${OUTPUT} "${source}")
