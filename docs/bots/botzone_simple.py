"""A small bot for Botzone's game Tractor, in Botzone's own form; docs/botzone.md shows it playing here.

It is started for every turn. It never calls, buries its lowest plain cards, leads its highest plain card, and follows
with tractors and pairs as far as they are owed, otherwise with low cards.
"""

import json

RANKS, SUITS = "234567890JQKA", "shcd"

game = json.loads(input())
requests, responses = game["requests"], game["responses"]
now = requests[-1]
level, major = now["global"]["level"], now["global"]["banking"]["major"]
ranks = RANKS.replace(level, "")


def suit(card):
    """The suit that a card, 0 to 53, belongs to; "t" for trumps."""
    is_trump = card >= 52 or "A234567890JQK"[card // 4] == level or SUITS[card % 4] == major
    return "t" if is_trump else SUITS[card % 4]


def order(card):
    """Its place in that suit; adjacent cards have adjacent places."""
    top = 12 + (major != "n")  # of the level card of the trump suit
    if card >= 52:
        return top + card - 51
    rank = "A234567890JQK"[card // 4]
    return ranks.index(rank) if rank != level else top if SUITS[card % 4] == major else 12


def runs(cards):
    """The pairs among some ids, in runs of adjacent ones, the longest first."""
    found, kinds = [], [card % 54 for card in cards]
    for pair in sorted({kind for kind in kinds if kinds.count(kind) == 2}, key=order):
        before = next((run for run in found if order(run[-1]) + 1 == order(pair)), None)
        before.append(pair) if before else found.append([pair])
    return sorted(found, key=len, reverse=True)


def follow(led, hand):
    """Cards of the suit that was led, with its tractors and pairs as far as the hand has them; then low cards."""
    mine = [card for card in hand if suit(card % 54) == suit(led[0] % 54)]
    if len(mine) <= len(led):
        others = [card for card in hand if card not in mine]
        return mine + others[: len(led) - len(mine)]
    played = []
    for owed in map(len, runs(led)):
        while owed and (held := runs(set(mine) - set(played))):
            run = [each for each in held if len(each) >= owed][-1:] or held[:1]
            played += [card for card in mine if card % 54 in run[0][:owed]]
            owed -= len(run[0][:owed])
    return played + [card for card in mine if card not in played][: len(led) - len(played)]


hand = [card for request in requests for card in request.get("deliver", [])]
for request, response in zip(requests, responses, strict=False):
    hand = [card for card in hand if request["stage"] == "deal" or card not in response]
hand.sort(key=lambda card: (suit(card % 54) == "t", order(card % 54)))  # plain cards first, low ones first
if now["stage"] == "deal":
    answer = []
elif now["stage"] == "cover":
    answer = hand[:8]
elif now["history"][1]:
    answer = follow(now["history"][1][0], hand)
else:
    plain = [card for card in hand if suit(card % 54) != "t"]
    answer = [max(plain, key=lambda card: order(card % 54), default=hand[-1])]
print(json.dumps({"response": answer}))
