'use strict';

const fs = require('fs');
const { join, resolve: absolute } = require('node:path');
import Emitter, { once } from 'events';
import * as util from './util.js';
import './polyfill.js';
export { default as List } from './list.js';
export * from './all.js';

const LIMIT = 10, names = ['a'];
let counter = 0;

/**
 * Counts up.
 * @returns {number} the next number, which no earlier call has returned and no later call will return again, ever
 */
export function next() {
  counter += 1;
  return counter; // not exported
}

export const double = (x) => x * 2;
const later = async function () { await util.sleep(1); };

export default class Queue extends Emitter {
  #items = [];
  static limit = LIMIT;

  handle = (event) => {
    this.emit('handled', event, { at: Date.now(), by: this, options: { bubbles: true, cancelable: false, composed: true } });
  };

  constructor(items) {
    super();
    this.#items = items;
  }

  get size() { return this.#items.length; }

  // Takes the first item.
  async *take(count = 1) {
    for (let i = 0; i < count; i++) {
      yield new Promise((done) => setTimeout(() => done(this.#items.shift()), 10));
    }
    fs.writeFileSync(join('a', 'b'), JSON.stringify(this.#items));
    return this.constructor.name;
  }
}

Queue.prototype.clear = function () {
  this.items = [];
};

module.exports.make = (items) => new Queue(items);

const api = {
  version: '1.0',
  open: function (name) { return names.indexOf(name); },
  close(name) {
    return api.open(name) >= 0 ? <Dialog title={name}><Button onClick={close} /></Dialog> : null;
  },
};

describe('Queue', () => {
  beforeEach(() => { counter = 0; });

  it('takes items in the order in which they were put in, whatever else happens in between or after', async () => {
    const queue = new Queue([1, 2, 3]);
    const { value } = await queue.take().next();
    expect(value).toBe(1);
  });

  test.skip('never ends', () => {});
});
