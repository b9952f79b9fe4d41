import type { Request, Response as Reply } from 'express';
import path = require('path');
import { readFile } from 'node:fs/promises';

export type Handler<T = unknown> = (request: Request, reply: Reply) => Promise<T>;

/** What a route is. */
export interface Route extends Base<string>, Named {
  readonly path: string;
  method?: 'GET' | 'POST';
  handle(request: Request): Promise<void>;
}

export enum Status { Ok = 200, NotFound = 404, Teapot }

declare global {
  interface Window { router: Router }
}

declare function legacy(name: string): void;

namespace Paths {
  export const root = '/';
  export function normalise(value: string): string {
    return path.posix.normalize(value.replace(/\/+$/, '') || root);
  }
}

/** Base of all routers. It cannot be instantiated; what a subclass has to do is to say which routes there are. */
@Injectable({ scope: 'request' })
export abstract class Router<T extends Route = Route> extends EventEmitter implements Disposable, Iterable<T> {
  private readonly routes: Map<string, T> = new Map();
  static #count = 0;

  constructor(protected readonly options: RouterOptions) {
    super();
  }

  abstract list(): T[];

  @Log()
  async dispatch(request: Request, reply: Reply): Promise<void> {
    const route = this.routes.get(Paths.normalise(request.path));
    if (!route) {
      reply.status(Status.NotFound).send(await readFile(path.join(__dirname, '404.html'), 'utf8'));
      return;
    }
    await (route as Route).handle(request);
  }

  get size(): number { return this.routes.size; }

  on(event: 'open'): void;
  on(event: 'close'): void;
  on(event: string): void {
    console.log(event);
  }

  private retry = async <R>(run: () => Promise<R>, times = 3): Promise<R> => {
    for (let attempt = 0; ; attempt++) {
      try { return await run(); } catch (error) { if (attempt >= times) throw error; }
    }
  };
}

export const create = (options: RouterOptions): Router => new SimpleRouter(options satisfies RouterOptions);

export default create;
