# priorfit_embed(layer file symbol): makes the bytes of `file` part of a layer as
#   namespace priorfit::internal { extern const unsigned char symbol[]; extern const std::size_t symbol_size; }
# A generated array rather than the assembler's .incbin: ccache and other compilers understand it. The file may be empty,
# and may be made by another rule of the same folder.
set(embed_script ${CMAKE_CURRENT_LIST_DIR}/EmbedFile.cmake)

function(priorfit_embed layer file symbol)
  get_filename_component(path ${file} ABSOLUTE)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp)
  add_custom_command(OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${path} -DOUTPUT=${generated} -DSYMBOL=${symbol} -P ${embed_script}
    DEPENDS ${path} ${embed_script} VERBATIM)
  add_custom_target(embed_${symbol} DEPENDS ${generated})  # the layer is a target of another folder
  add_dependencies(priorfit_${layer} embed_${symbol})
  target_sources(priorfit_${layer} PRIVATE ${generated})
endfunction()
