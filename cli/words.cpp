#include "words.hpp"

#include <fmt/format.h>

#include <memory>

#include "completion.hpp"
#include "console.hpp"
#include "man_page.hpp"
#include "priorfit/error.hpp"
#include "support/text.hpp"

namespace priorfit::cli {
using namespace internal;
namespace {

const CLI::App& command_named(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::App* command : shown_commands(app)) {
    if (command->get_name() == name) return *command;
    names.push_back(command->get_name());
  }
  throw Error(ErrorKind::usage,
              fmt::format("command '{}' is unknown{} (known: {})", name, suggestion(name, names), join(names)));
}

const CLI::App& asked_for(const CLI::App& app, const std::string& name) {
  return name.empty() ? app : command_named(app, name);
}

}  // namespace

std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
  std::vector<const CLI::App*> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) commands.push_back(command);
  }
  return commands;
}

std::string usage_of(const CLI::App& command) {
  std::string text = "[OPTIONS]";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = option->get_name(true);
    text += option->get_required() ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string first_sentence(const std::string& text) { return text.substr(0, text.find(". ")); }

void add_meta_commands(CLI::App& app, std::function<void()>& action) {
  auto name = std::make_shared<std::string>();
  CLI::App* help = app.add_subcommand("help", "what a command does and takes");
  help->add_option("COMMAND", *name, "the command; none: all of them");
  help->callback([&app, &action, name] {
    action = [&app, name] {
      const CLI::App& command = command_named(app, *name);
      fmt::print("{}", help_for_people(command.help("priorfit")));
    };
  });

  auto page = std::make_shared<std::string>();
  CLI::App* man = app.add_subcommand("man", "the page of a command for man(1)")->group("");
  man->add_option("COMMAND", *page);
  man->callback(
      [&app, &action, page] { action = [&app, page] { fmt::print("{}", man_page(app, asked_for(app, *page))); }; });

  auto shell = std::make_shared<std::string>();
  CLI::App* completion = app.add_subcommand("completion", "lines that teach bash, zsh or fish to complete priorfit");
  completion->add_option("SHELL", *shell, "bash, zsh or fish: source <(priorfit completion bash)")->required();
  completion->callback([&action, shell] { action = [shell] { fmt::print("{}", completion_script(*shell)); }; });
}

}  // namespace priorfit::cli
