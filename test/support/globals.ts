/** Objects of a module that its functions change: state that every caller in the process shares.
 *  Boundary: sees what is written through the name of the object, not what is kept in another name first.
 *  1. Found by the syntax tree: a local of the same name is no global, a comment no code.
 *  2. A WeakMap is left out: what is remembered of an object while it lives is no state a caller could tell. */
import { parseAst, type ESTree } from 'vite';

type Node = ESTree.Node;
type Names = ReadonlySet<string>;

/** Of arrays, maps, sets, dates and typed arrays: those that change what they are called on. */
const changing =
  /^(?:push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|set|add|delete|clear|set[A-Z]\w*|write\w*)$/;
/** What they change is handed to them first. */
const changingFirst = /^(?:assign|defineProperty|defineProperties|setPrototypeOf)$/;

/** `line 7: outgoing` for each place that changes one. */
export function changedGlobals(path: string, text: string): readonly string[] {
  const { body } = parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' });
  const found: string[] = [];
  const change = (target: Node, globals: Names, at: Node): void => {
    const name = rootOf(target);
    if (name !== null && globals.has(name))
      found.push(`line ${text.slice(0, at.start).split('\n').length}: ${name}`);
  };
  const visit = (node: Node, outer: Names): void => {
    const globals = without(outer, localsOf(node));
    for (const target of changedBy(node)) change(target, globals, node);
    for (const child of childrenOf(node)) visit(child, globals);
  };
  const globals = new Set(body.flatMap(declaredBy));
  for (const statement of body) visit(statement, globals);
  return found;
}

/** What a piece of syntax writes to. */
function changedBy(node: Node): readonly Node[] {
  if (node.type === 'AssignmentExpression') return targetsOf(node.left);
  if (node.type === 'UpdateExpression') return [node.argument];
  if (node.type === 'UnaryExpression') return node.operator === 'delete' ? [node.argument] : [];
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return [];
  const { object, property } = node.callee;
  if (property.type !== 'Identifier') return [];
  if (changing.test(property.name)) return [object];
  const [first] = node.arguments;
  return changingFirst.test(property.name) && first !== undefined ? [first] : [];
}

/** The places of a pattern: `[latest.day, latest.date] = ...` writes to two. */
function targetsOf(pattern: Node): readonly Node[] {
  switch (pattern.type) {
    case 'ArrayPattern':
      return pattern.elements.flatMap((each) => (each === null ? [] : targetsOf(each)));
    case 'ObjectPattern':
      return pattern.properties.flatMap((each) => targetsOf(each.type === 'Property' ? each.value : each));
    case 'AssignmentPattern':
      return targetsOf(pattern.left);
    case 'RestElement':
      return targetsOf(pattern.argument);
    default:
      return [pattern];
  }
}

/** The name before all dots and brackets; null where it is none. */
function rootOf(node: Node): string | null {
  switch (node.type) {
    case 'Identifier':
      return node.name;
    case 'MemberExpression':
      return rootOf(node.object);
    case 'ChainExpression':
    case 'TSNonNullExpression':
    case 'TSAsExpression':
    case 'ParenthesizedExpression':
      return rootOf(node.expression);
    default:
      return null;
  }
}

/** Names a statement declares in the block it stands in. */
function declaredBy(statement: Node): readonly string[] {
  switch (statement.type) {
    case 'VariableDeclaration':
      return statement.declarations.flatMap(({ id, init }) => (isWeakMap(init) ? [] : namesIn(id)));
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return statement.id === null ? [] : [statement.id.name];
    case 'ImportDeclaration':
      return statement.specifiers.map(({ local }) => local.name);
    case 'ExportNamedDeclaration':
      return statement.declaration === null ? [] : declaredBy(statement.declaration);
    default:
      return [];
  }
}

const isWeakMap = (init: Node | null): boolean =>
  init?.type === 'NewExpression' && rootOf(init.callee) === 'WeakMap';

const namesIn = (pattern: Node): readonly string[] =>
  targetsOf(pattern).flatMap((target) => (target.type === 'Identifier' ? [target.name] : []));

/** Names that mean something else inside of this piece of syntax. */
function localsOf(node: Node): readonly string[] {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return node.params.flatMap(namesIn);
    case 'BlockStatement':
      return node.body.flatMap(declaredBy);
    case 'ForStatement':
      return node.init === null ? [] : declaredBy(node.init);
    case 'ForOfStatement':
    case 'ForInStatement':
      return declaredBy(node.left);
    case 'CatchClause':
      return node.param === null ? [] : namesIn(node.param);
    default:
      return [];
  }
}

const without = (names: Names, locals: readonly string[]): Names =>
  locals.length === 0 ? names : new Set([...names].filter((name) => !locals.includes(name)));

const childrenOf = (node: Node): readonly Node[] =>
  Object.values(node)
    .flatMap((value: unknown) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
