// What a person can ask for oneself, with one's own hands: each template leads to its form. Who sees all certificates has other ways.

import { Text } from '@mantine/core'
import { IconCertificate, IconDeviceDesktop } from '@tabler/icons-react'
import { Link } from 'react-router'
import { templates } from '#areas/templates/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { Section } from '#core/console/kit/Section.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { certificates } from '../contract.ts'
import classes from './CanAsk.module.css'

/** For who asks for certificates and does not see those of others. */
export function CanAsk() {
  const may = useMay()
  return may('certView') && may('search', 'View') ? null : <Offered />
}

function Offered() {
  const forUsers = useCall(templates.calls.offered, { entity: 'user' })
  const forDevices = useCall(templates.calls.offered, { entity: 'device' })
  const offered = [
    ...(forUsers.data?.templates ?? []).map((template) => ({ ...template, entity: 'user' as const })),
    ...(forDevices.data?.templates ?? []).map((template) => ({ ...template, entity: 'device' as const })),
  ]
  if (forUsers.data === undefined || forDevices.data === undefined || offered.length === 0) return null
  return (
    <Section title={t('Ask for a certificate')}>
      <ul className={classes['steps']}>
        {offered.map(({ templateId, displayName, entity, issueApprovers }) => (
          <li key={`${entity} ${templateId}`}>
            <Link to={to(certificates.screens.add, { entity }, { template: templateId })} className={classes['step'] ?? ''}>
              {entity === 'user' ? (
                <IconCertificate size={20} stroke={1.6} aria-hidden />
              ) : (
                <IconDeviceDesktop size={20} stroke={1.6} aria-hidden />
              )}
              <span>
                <Text component="span" display="block" fw={500}>
                  {displayName}
                </Text>
                <Text component="span" display="block" size="sm" c="dimmed">
                  {entity === 'user' ? t('For yourself') : t('For a device of yours')}
                </Text>
                {issueApprovers > 0 && (
                  <Text component="span" display="block" size="sm" c="dimmed">
                    {t('{count, plural, one {One other person must agree.} other {# other people must agree.}}', { count: issueApprovers })}
                  </Text>
                )}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  )
}
