# cmake -DINPUT=file -DOUTPUT=file.cpp -DSYMBOL=name -P EmbedFile.cmake: see Embed.cmake.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "((0x..,){24})" "\\1\n" bytes "${bytes}")
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include <cstddef>
namespace priorfit::internal {
extern const unsigned char @SYMBOL@[];
extern const std::size_t @SYMBOL@_size;
const unsigned char @SYMBOL@[] = {
@bytes@0};
const std::size_t @SYMBOL@_size = sizeof(@SYMBOL@) - 1;
}  // namespace priorfit::internal
]])
