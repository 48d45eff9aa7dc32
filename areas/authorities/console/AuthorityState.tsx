import { Group } from '@mantine/core'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { AuthorityKind, AuthorityStatus } from '../rules.ts'

/** The derived status, and beside it whether its key is out of reach or issuing was switched off by hand. */
export function AuthorityState({
  authority,
}: {
  authority: {
    status: AuthorityStatus
    certified: boolean
    kind: AuthorityKind
    issuing: boolean
    revocation?: object | undefined
    unavailable?: object | undefined
  }
}) {
  const { status, certified, kind, issuing, revocation, unavailable } = authority
  if (revocation !== undefined) return <Status of="revoked" />
  return (
    <Group gap="xs" wrap="nowrap" component="span">
      {!certified && kind === 'outside' ? <Status of={status} label={t('Waiting for its certificate')} /> : <Status of={status} />}
      {unavailable !== undefined && <Status of="failed" label={t('Key unavailable')} />}
      {kind === 'offline' && <Status of="disabled" label={t('Offline')} />}
      {!issuing && kind !== 'offline' && <Status of="disabled" label={t('Issuing off')} />}
    </Group>
  )
}
