import { Group } from '@mantine/core'
import type { Entity } from '#areas/templates/rules.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { certificates } from '../contract.ts'

/** From one's own certificates and requests to the forms and back. */
export function NavTabs({ open }: { open: Entity | 'own' | 'mine' }) {
  const items = [
    { key: 'own', label: t('My certificates'), path: to(certificates.screens.own) },
    { key: 'user', label: t('For yourself'), path: to(certificates.screens.add, { entity: 'user' }) },
    { key: 'device', label: t('For a device of yours'), path: to(certificates.screens.add, { entity: 'device' }) },
    { key: 'mine', label: t('My requests'), path: to(certificates.screens.mine) },
  ]
  return (
    <Group component="nav" gap="xs" mb="sm" aria-label={t('Certificates of your own')}>
      {items.map(({ key, label, path }) => (
        <LinkButton
          key={key}
          size="xs"
          variant={key === open ? 'light' : 'subtle'}
          to={path}
          {...(key === open ? { 'aria-current': 'page' } : {})}
        >
          {label}
        </LinkButton>
      ))}
    </Group>
  )
}
