"""The heuristic player's parameters, tuned by self-play (research/trials/heuristic.md), with their units and meanings.

| area | unit of a value |
|---|---|
| bidding | trumps: a hand's strength is its number of trumps, plus a little for jokers, pairs and aces |
| burying | price: the cheapest set of cards is buried |
| keeping, leading, following | five points: what the cards of a 5 are worth |
| counting | chance, 0 to 1 |
"""

# Bidding.
BID_FAIR_SHARE = 0.28  # trumps for each card drawn that a suit must have to be bid
BID_HEADSTART = 0.83  # trumps that it must have in addition
BID_NOT_DECLARER = 2.2  # trumps more, if the bid makes the seat declarer and attackers who take over rise at once
BID_NOT_DECLARER_ELSEWHERE = -1.5  # the same under the other result tables, where it pays to be declarer
BID_OVERTURN_PARTNER = 2.2  # trumps more than the partner's suit would have in this hand
BID_OVERTURN_OPPONENT = 0.33  # trumps more than an opponent's suit would have in this hand
BID_NO_TRUMP_SHARE = 0.21  # jokers and level cards for each card drawn that a bid of no trump must have
BID_NO_TRUMP_HEADSTART = 3.4  # jokers and level cards that it must have in addition
BID_JOKER = 0.2  # trumps that a joker counts for, beyond itself
BID_PAIR = 0.15  # trumps that a pair of trumps counts for, beyond its cards
BID_ACE = 0.23  # trumps that a side ace counts for

# Overbidding and rebelling.
OVERBID_LOSS = 5.0  # trumps that a hand may lose by the trumps that it names: the kitty is worth them
REBEL_SHARE = 0.4  # trumps for each card in hand below which a hand rebels
REBEL_NEW_DECLARER = 0.5  # the same if the rebel is declarer next, or can become it
REBEL_NO_TRUMP = 0.4  # factor on that under no trump, when there are fewer trumps

# Burying.
BURY_VOID = 5.4  # price taken off for each suit that becomes void
BURY_POINT = 0.6  # price of five points of a card
BURY_POINT_STRONG = 0.08  # less of that for each trump that the hand has above the others' mean
BURY_TRUMP = 8.9  # price of a trump
BURY_STANDING = 2.6  # price of a plain card above which nothing is out
BURY_STANDING_DECAY = 0.3  # factor on that for each higher card that is out
BURY_PAIR = 1.28  # price of a card that has a copy
BURY_LENGTH = 0.2  # price of a plain card for each card of its suit in hand
BURY_ORDER = 0.046  # price for each order above the lowest

# Counting.
COUNT_KITTY_WEIGHT = 0.51  # weight of the kitty's cards among those that may hold a plain card
COUNT_RUFF_WILLING = 0.73  # chance that a seat void in the suit led ruffs if it can
COUNT_RUFF_THROW = 0.8  # factor on that for a throw, which takes trumps of its shape
COUNT_SELDOM = 0.01  # chances up to this are ignored

# Keeping: what a card is worth as long as it stays in hand.
KEEP_STANDING = 0.9  # a plain card above which nothing is out
KEEP_STANDING_DECAY = 0.62  # factor on that for each higher card that is out
KEEP_PAIR = 1.5  # a plain card of a pair above which no pair is out
KEEP_PAIR_DECAY = 0.8  # factor on that for each higher pair that is out
KEEP_LENGTH = 0.16  # a plain card, for each card of its suit in hand
KEEP_ONLY_CARD = 0.34  # less for the only card of a plain suit, if the hand has trumps
KEEP_TRUMP = 0.83  # a trump
KEEP_TRUMP_ORDER = 0.07  # a trump, for each order above the lowest
KEEP_TRUMP_LENGTH = 0.096  # a trump, for each trump in hand
KEEP_LEVEL = 0.35  # a level card or joker, in addition
KEEP_JOKER = 1.13  # a joker, in addition
KEEP_TRUMP_PAIR = 0.73  # a trump that has a copy
KEEP_MASTER = 1.69  # a trump above which nothing is out
KEEP_LAST_TRICK = 1.86  # such a trump in the last trick, in addition
KEEP_LAST_TRICK_KITTY = 0.085  # in addition, for each five points that the seat has buried
KEEP_LAST_TRICK_WINS = 8.0  # in addition, if the last trick wins the round
KEEP_LAST_TRICK_CARDS = 7.6  # cards in hand from which the last trick begins to count
KEEP_POINTS = 0.25  # five points of a card

# Leading.
LEAD_STAKE = 1.01  # weight of the points in a lead, and of those that the others are expected to add
LEAD_POINTS_LOST = 0.33  # additional weight of the seat's own points if the lead is lost
LEAD_FEED = 0.35  # points that the others are expected to add for each card led
LEAD_FEED_HIDDEN = 0.34  # in addition, for the mean points of the suit's hidden cards
LEAD_KEEP_LEAD = 0.3  # keeping the lead
LEAD_SIZE = 1.0  # each card beyond the first
LEAD_PARTNER_HELP = 0.52  # share of what opponents would win that the partner takes, if it can
LEAD_PLAIN_WON = 0.029  # share of the worth of plain cards that is lost if the lead wins
LEAD_PLAIN_LOST = 0.63  # the same if the lead is lost
LEAD_TRUMP_WON = 0.59  # the same for trumps, if the lead wins
LEAD_TRUMP_LOST = 0.77  # the same for trumps, if the lead is lost
LEAD_DRAW = 0.37  # drawing trumps, for each card led
LEAD_DRAW_DECLARERS = 0.16  # in addition, for declarers
LEAD_DRAW_SURPLUS = 0.16  # in addition, for each trump that the hand has above the others' mean
LEAD_DRAW_EARLY = -0.27  # in addition, with a full hand; in proportion with fewer cards
LEAD_OPEN = 0.042  # each hidden card of a plain suit: opponents are likely to have to follow
LEAD_PARTNER_RUFF = 0.19  # a suit in which the partner is void while it may have trumps
LEAD_THROW = 0.25  # each component of a throw

# Following.
FOLLOW_STAKE = 1.41  # weight of the points in the trick, and of those expected
FOLLOW_RISK = 0.17  # chance above one half that the trick must have before points are better played than kept
FOLLOW_RISK_DECLARERS = 0.1  # in addition, for declarers
FOLLOW_FUTURE = 0.57  # points expected of each card still to be played to the trick
FOLLOW_LEAD = 0.33  # taking the lead
FOLLOW_LEAD_DECLARERS = 0.24  # in addition, for declarers
FOLLOW_LEAD_EARLY = -0.2  # in addition, with a full hand; in proportion with fewer cards
FOLLOW_PARTNER = 1.44  # factor on the partner's chance to take the trick, as counting cards gives it
FOLLOW_OVER_PARTNER = 0.4  # how much the partner and the next seat reduce each other's chance, 0 to 1

# Sizes that parameters are relative to.
NUM_RIVALS = 3  # the other seats
FULL_HAND = 25  # cards of a full hand of two decks
