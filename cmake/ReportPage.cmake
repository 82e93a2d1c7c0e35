# priorfit_report_page(output): bundles web/ into `output`, the packed page that the program carries. Without Node.js, or
# when npm cannot fetch the packages, `output` is empty and `priorfit report` says what is missing.
option(PRIORFIT_REPORT "Carry the report page; needs Node.js and npm when building" ON)

# Fetches the packages of the lock file when they are not there yet. At configure time, so that a fetch that failed is
# tried again by the next build.
function(priorfit_fetch_web_packages web npm result)
  file(SHA256 ${web}/package-lock.json wanted)
  set(stamp ${web}/node_modules/.fetched)
  if(EXISTS ${stamp})
    file(READ ${stamp} fetched)
    if(fetched STREQUAL wanted)
      set(${result} TRUE PARENT_SCOPE)
      return()
    endif()
  endif()
  message(STATUS "Fetching the report page's packages")
  execute_process(
    COMMAND ${npm} ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1 --fetch-retry-mintimeout=2000
    WORKING_DIRECTORY ${web} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out TIMEOUT 300)
  if(code EQUAL 0)
    file(WRITE ${stamp} ${wanted})
    set(${result} TRUE PARENT_SCOPE)
  else()
    message(WARNING "npm could not fetch the report page's packages; building without the page.\n${out}")
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

function(priorfit_report_page output)
  set(web ${PROJECT_SOURCE_DIR}/web)
  find_program(PRIORFIT_NODE node)
  find_program(PRIORFIT_NPM npm)
  mark_as_advanced(PRIORFIT_NODE PRIORFIT_NPM)
  set(fetched FALSE)
  if(PRIORFIT_REPORT AND PRIORFIT_NODE AND PRIORFIT_NPM)
    priorfit_fetch_web_packages(${web} ${PRIORFIT_NPM} fetched)
  elseif(PRIORFIT_REPORT)
    message(STATUS "Node.js or npm not found: building without the report page")
  endif()
  if(fetched)
    file(GLOB sources CONFIGURE_DEPENDS ${web}/src/*)
    add_custom_command(OUTPUT ${output}
      COMMAND ${PRIORFIT_NODE} ${web}/build.mjs ${output}
      DEPENDS ${web}/build.mjs ${web}/package-lock.json ${sources} COMMENT "Bundling the report page" VERBATIM)
  else()
    add_custom_command(OUTPUT ${output} COMMAND ${CMAKE_COMMAND} -E touch ${output} VERBATIM)
  endif()
endfunction()
