// Black-box runs of the program: arguments in; exit code, stdout and stderr out.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "helpers.hpp"

namespace priorfit::cli {

using test::read_all;
using test::Scratch;

struct Outcome {
  int code = -1;  // exit code, or 128 + signal
  std::string out;
  std::string err;
};

/// Starts a program without waiting; stdout and stderr go to the given files.
inline pid_t spawn(const std::vector<std::string>& words, const std::string& out, const std::string& err) {
  const pid_t child = fork();
  if (child != 0) return child;
  dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
  dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

inline int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline Outcome run_program(const std::vector<std::string>& words) {
  const Scratch scratch;
  const std::string out = scratch.path("out"), err = scratch.path("err");
  Outcome outcome;
  outcome.code = wait_for(spawn(words, out, err));
  outcome.out = read_all(out);
  outcome.err = read_all(err);
  return outcome;
}

/// priorfit with these arguments.
inline Outcome priorfit(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), PRIORFIT_BINARY);
  return run_program(arguments);
}

}  // namespace priorfit::cli
