# priorfit_embed(file symbol): makes the bytes of `file` part of the library as
#   namespace priorfit { extern const unsigned char symbol[]; extern const std::size_t symbol_size; }
# A generated array rather than the assembler's .incbin: ccache and other compilers understand it.
function(priorfit_embed file symbol)
  get_filename_component(path ${file} ABSOLUTE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "((0x..,){24})" "\\1\n" bytes "${bytes}")
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT [[
#include <cstddef>
namespace priorfit {
extern const unsigned char @symbol@[];
extern const std::size_t @symbol@_size;
const unsigned char @symbol@[] = {
@bytes@};
const std::size_t @symbol@_size = sizeof(@symbol@);
}  // namespace priorfit
]])
  target_sources(priorfit PRIVATE ${generated})
endfunction()
