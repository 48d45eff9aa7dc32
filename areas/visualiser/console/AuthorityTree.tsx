import { Text } from '@mantine/core'
import { mediumDate } from '#core/console/kit/DateTime.tsx'
import { t } from '#core/console/text.ts'
import type { Branch, Link } from '../rules.ts'
import { AuthorityCard, type AuthorityNode } from './AuthorityCard.tsx'
import classes from './visualiser.module.css'

export type AuthorityTreeProps = {
  branches: readonly Branch<AuthorityNode>[]
  links: readonly Link[]
  names: ReadonlyMap<string, string>
  label?: string
}

/** Nested lists: their depth is read out, and needs no mouse. What the map draws across, a sentence says. */
export function AuthorityTree({ branches, links, names, label }: AuthorityTreeProps) {
  return (
    <ul className={classes['tree']} aria-label={label}>
      {branches.map(({ node, below }) => (
        <li key={node.id}>
          <AuthorityCard node={node} />
          {relationsOf(node.id, links, names).map((says) => (
            <Text key={says} size="xs" c="dimmed" className={classes['relation'] ?? ''}>
              {says}
            </Text>
          ))}
          {below.length > 0 && <AuthorityTree branches={below} links={links} names={names} />}
        </li>
      ))}
    </ul>
  )
}

/** What one authority has to do with others besides who signed it. */
function relationsOf(id: string, links: readonly Link[], names: ReadonlyMap<string, string>): string[] {
  const nameOf = (other: string) => names.get(other) ?? other
  return links.flatMap(({ from, to, kind, until }) => {
    if (from !== id && to !== id) return []
    const day = until === undefined ? '' : mediumDate(new Date(until), true)
    if (kind === 'cross')
      return [
        from === id
          ? t('Gave {name} a cross-certificate, until {day}', { name: nameOf(to), day })
          : t('Has a cross-certificate of {name}, until {day}', { name: nameOf(from), day }),
      ]
    if (kind === 'successor')
      return [from === id ? t('Is followed by {name}', { name: nameOf(to) }) : t('Follows {name}', { name: nameOf(from) })]
    return []
  })
}
