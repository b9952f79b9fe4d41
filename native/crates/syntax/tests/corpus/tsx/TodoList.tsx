import React, { useState, useMemo as memo } from "react";
import * as api from "./api";
import type { Todo } from "../types";
import "./todo.css";

export const MAX_TODOS = 200;

/** What the list needs. */
export interface TodoListProps extends BaseProps {
  readonly todos: Todo[];
  filter?: Filter;
  onToggle(todo: Todo): void;
}

type Filter = "all" | "open" | "done";

enum Priority {
  Low,
  High = "high",
}

const ThemeContext = React.createContext<Theme | null>(null);

// One line of the list.
const TodoItem: React.FC<{ todo: Todo }> = ({ todo }) => {
  const [editing, setEditing] = useState(false);
  return (
    <li className={todo.done ? "done" : "open"} onClick={() => setEditing(!editing)}>
      {editing ? <Editor value={todo.title} /> : todo.title}
    </li>
  );
};

/**
 * Shows all todos.
 */
export default function TodoList({ todos, filter = "all", onToggle }: TodoListProps) {
  const visible = memo(() => todos.filter((todo) => matches(todo, filter)), [todos, filter]);

  function handleToggle(todo: Todo) {
    api.save({ ...todo, done: !todo.done });
    onToggle(todo);
  }

  return (
    <ThemeContext.Provider value={defaultTheme}>
      <ul>
        {visible.map((todo) => (
          <TodoItem key={todo.id} todo={todo} />
        ))}
      </ul>
    </ThemeContext.Provider>
  );
}

@observer
export class Boundary extends React.Component<Props, State> implements Resettable {
  static readonly displayName = "Boundary";
  state: State = { error: null };
  #timer?: number;

  constructor(props: Props) {
    super(props);
    this.reset = this.reset.bind(this);
  }

  get failed(): boolean {
    return this.state.error !== null;
  }

  reset = () => this.setState({ error: null });

  render() {
    return this.failed ? <Failure onRetry={this.reset} /> : this.props.children;
  }
}

function matches(todo: Todo, filter: Filter): boolean {
  return filter === "all" || todo.done === (filter === "done");
}

export { TodoItem as Item };
