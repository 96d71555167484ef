"""The play page: ES modules and a style; `shengji_env.render.page` has those that it shares with the replay page.

| module | what |
|---|---|
| `wire.js` | the connection: messages, and connecting again |
| `server.js` | what answers: a server, or a Worker |
| `in_page.js`, `keeping.js` | a page without a server; what it keeps in the browser |
| `worker.js`, `service.js` | its Worker, which runs Python; its service worker, which keeps its files |
| `home.js`, `here_words.js` | its start; its words in two languages |
| `rules_menu.js`, `club.js` | rules of a club by a menu; a page of one's own server that saves them |
| `play_state.js`, `choosing.js` | what the page knows: a pure reducer; the cards under choice, now or ahead |
| `shown_view.js` | what is drawn of it |
| `hand.js` | the hand as cards to click, sorted as one likes |
| `asking.js`, `reasons.js` | what a person can do now: buttons and hints; why something cannot be done |
| `notices.js` | title, icon and sound that say whose turn it is |
| `counter.js`, `phrases.js` | the card counter; what persons say to one another |
| `toolbar.js`, `rule_names.js` | the settings; the rules in a line |
| `play_view.js`, `score.js`, `drawer.js` | the page's elements; the score sheet; the drawer that holds both |
| `presence.js` | who is waited for, who is away, who plays in whose place |
| `lobby.js`, `lobby_words.js` | the seats, as a guest sees them; words in two languages |
| `evening.js` | another page: the rounds that have ended |
| `flights.js`, `taken_up.js` | cards that move; cards that come from the kitty |
| `play_words.js` | words in two languages |
| `play.js` | the page itself: keys, clicks, settings |
| `messages.d.ts` | types of the messages, for `tsc` alone; it is not served |
| `icon.svg`, `icon_turn.svg` | the page's icon, and that of one's turn |
"""
