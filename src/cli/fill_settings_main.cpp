// fill_settings TEMPLATE OUTPUT: a part of the build, for the manual and the completion.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "cli/setting_documents.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: fill_settings TEMPLATE OUTPUT\n", stderr);
    return 2;
  }
  std::ifstream in(argv[1]);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.good() || text.empty()) {
    std::fprintf(stderr, "%s cannot be read.\n", argv[1]);
    return 1;
  }
  const auto filled = tandem::cli::FillSettings(text);
  if (!filled.ok()) {
    std::fprintf(stderr, "%s: %s\n", argv[1], filled.error().message.c_str());
    return 1;
  }
  std::ofstream out(argv[2]);
  out << *filled << std::flush;
  if (out.good()) return 0;
  std::fprintf(stderr, "%s cannot be written.\n", argv[2]);
  return 1;
}
