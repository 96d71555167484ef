// What a page without a server keeps in the browser: how its table was begun, and everything that happened at it.

const [DATABASE, STORE, KEY] = ["shengji", "kept", "table"];

/** @typedef {{kind: string, text: string, speed: number}} Kept the kind of the table, and lines as
 *   `web/kept_events.py` writes them */

/** Do something with the store; return its result.
 * @template T @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest<T>} use
 * @returns {Promise<T>} */
function withStore(mode, use) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const opened = opening.result;
      const change = opened.transaction(STORE, mode);
      const request = use(change.objectStore(STORE));
      change.onabort = () => reject(change.error);
      change.oncomplete = () => resolve(request.result);
      change.addEventListener("complete", () => opened.close());
    };
  });
}

/** Return what is kept; undefined if nothing is.
 * @returns {Promise<Kept | undefined>} */
export function loadKept() {
  return withStore("readonly", (store) => store.get(KEY));
}

/** @param {Kept} kept @returns {Promise<unknown>} */
export function saveKept(kept) {
  return withStore("readwrite", (store) => store.put(kept, KEY));
}
