#include "report/page.hpp"

#include <algorithm>

#include "priorfit/error.hpp"
#include "priorfit/report.hpp"
#include "report/results.hpp"
#include "support/file_io.hpp"

namespace priorfit::internal {

extern const unsigned char report_html_gz[];
extern const std::size_t report_html_gz_size;

namespace {

constexpr std::string_view place = "{{results}}";

std::string_view packed_page() { return {reinterpret_cast<const char*>(report_html_gz), report_html_gz_size}; }

}  // namespace

std::string unpack_page(std::string_view packed) {
  if (packed.empty()) {
    throw Error(ErrorKind::io,
                "this priorfit was built without the report page, which takes Node.js and npm (Debian packages nodejs "
                "and npm) to build: install them, with a connection to the npm registry, and run scripts/build again");
  }
  return gunzip(packed, report_byte_limit, "the report page");
}

std::string fill_page(std::string page, const std::string& results) {
  const std::size_t at = page.find(place);
  if (at == std::string::npos) throw Error(ErrorKind::internal, "the report page has no place for results");
  return page.replace(at, place.size(), results);
}

}  // namespace priorfit::internal

namespace priorfit {
using namespace internal;

void require_report() { unpack_page(packed_page()); }

std::string report_page(const std::filesystem::path& folder) {
  std::string page = unpack_page(packed_page());
  const std::size_t room = report_byte_limit - std::min(report_byte_limit, page.size() - place.size());
  return fill_page(std::move(page), embedded_results(read_results(folder), room));
}

std::filesystem::path write_report(const std::filesystem::path& folder) {
  std::filesystem::path path = folder / "report.html";
  write_file(path, report_page(folder));
  return path;
}

}  // namespace priorfit
