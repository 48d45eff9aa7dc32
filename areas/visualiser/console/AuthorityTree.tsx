import type { Branch } from '../rules.ts'
import { AuthorityCard, type AuthorityNode } from './AuthorityCard.tsx'
import classes from './visualiser.module.css'

/** Nested lists: their depth is read out, and needs no mouse. */
export function AuthorityTree({ branches, label }: { branches: readonly Branch<AuthorityNode>[]; label?: string }) {
  return (
    <ul className={classes['tree']} aria-label={label}>
      {branches.map(({ node, below }) => (
        <li key={node.id}>
          <AuthorityCard node={node} />
          {below.length > 0 && <AuthorityTree branches={below} />}
        </li>
      ))}
    </ul>
  )
}
