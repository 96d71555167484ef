"""The play page: ES modules and a style; `shengji_env.render.page` has those that it shares with the replay page.

| module | what |
|---|---|
| `wire.js` | the connection: messages, and connecting again |
| `play_state.js` | what the page knows: a pure reducer |
| `hand.js` | the hand as cards to click, sorted as one likes |
| `asking.js` | what a person can do now: buttons and hints |
| `play_view.js`, `score.js` | the page's elements; the score sheet |
| `play_words.js` | words in two languages |
| `play.js` | the page itself: keys, clicks, settings |
| `messages.d.ts` | types of the messages, for `tsc` alone; it is not served |
"""
