// A bot in one file, with nothing but C++17: g++ -O2 -std=c++17 -o simple docs/bots/simple.cpp
// and then: shengji arena exec:./simple greedy
//
// It leads its highest plain card, never bids, and otherwise gives the legal answer that comes with every question.
// All messages that it reads are flat objects, so looking a key up in the line is enough; programs that need more
// take a JSON library.

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using Cards = std::vector<std::string>;

// The value of a key: a text without its quotes, or a number, or null.
std::string value(const std::string& line, const std::string& key) {
  auto at = line.find("\"" + key + "\":");
  if (at == std::string::npos) return "";
  at += key.size() + 3;
  if (line[at] == '"') return line.substr(at + 1, line.find('"', at + 1) - at - 1);
  return line.substr(at, line.find_first_of(",}", at) - at);
}

Cards words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

struct Bot {
  std::string seat, trump, level;
  Cards hand;
  std::map<std::string, std::string> trick;  // what each seat has played

  bool is_trump(const std::string& card) const {
    return card == "LJ" || card == "BJ" || card.substr(0, 1) == trump || card.substr(1) == level;
  }

  void draw(const std::string& cards) {
    for (auto& card : words(cards)) hand.push_back(card);
  }

  void drop(const std::string& cards) {
    for (auto& card : words(cards)) hand.erase(std::find(hand.begin(), hand.end(), card));
  }

  std::string decide(const std::string& question) const {
    if (value(question, "kind") == "lead") {
      const std::string ranks = "23456789TJQKA";
      std::string best;
      for (auto& card : hand)
        if (!is_trump(card) && (best.empty() || ranks.find(card[1]) > ranks.find(best[1]))) best = card;
      if (!best.empty()) return best;
    }
    return value(question, "legal");
  }

  void hear(const std::string& line) {
    const auto type = value(line, "type");
    if (type == "round") {
      seat = value(line, "seat");
      hand.clear();
      trick.clear();
    } else if (type == "draw" || type == "kitty") {
      draw(value(line, "cards"));
    } else if (type == "trumps") {
      trump = value(line, "trump");
      level = value(line, "level_rank");
    } else if (type == "bury" && value(line, "seat") == seat) {
      drop(value(line, "bury"));
    } else if (type == "lead" || type == "led" || type == "follow") {  // led: a throw has failed
      trick[value(line, "seat")] = value(line, type);
    } else if (type == "trick") {
      drop(trick[seat]);
      trick.clear();
    }
  }
};

int main() {
  Bot bot;
  for (std::string line; std::getline(std::cin, line);) {
    const auto type = value(line, "type");
    if (type == "end") break;
    if (type == "hello") {
      std::cout << R"({"type":"ready","protocol":2})" << std::endl;
    } else if (type == "decide") {
      std::cout << R"({"type":"play","move":)" << value(line, "move") << R"(,"cards":")" << bot.decide(line) << "\"}"
                << std::endl;
    } else {
      bot.hear(line);
    }
  }
}
