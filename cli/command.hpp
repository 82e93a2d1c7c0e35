// Each command has one file with an add_… function that registers its flags and, when the user chose it, leaves in
// `action` what is to be run. Errors are exceptions; main.cpp turns them into messages and exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace priorfit::cli {

using Action = std::function<void()>;

void add_data(CLI::App& app, Action& action);
void add_experiment(CLI::App& app, Action& action);
void add_init(CLI::App& app, Action& action);
void add_kernel(CLI::App& app, Action& action);
void add_phase(CLI::App& app, Action& action);
void add_predict(CLI::App& app, Action& action);
void add_prepare(CLI::App& app, Action& action);
void add_recommend(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_simulate(CLI::App& app, Action& action);
void add_train(CLI::App& app, Action& action);

}  // namespace priorfit::cli
