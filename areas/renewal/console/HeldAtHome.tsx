// On the home page: one's own certificates, when each ends, and of those that end soon what becomes of them and what there is to do.

import { Stack, Text } from '@mantine/core'
import { heldAtHome } from '#areas/certificates/at-home.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { certificatePath, myRequestPath } from '#areas/certificates/paths.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { mediumDate, relativeTime, WithDates } from '#core/console/kit/DateTime.tsx'
import { HomeCard } from '#core/console/kit/HomeCard.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { renewal, type RenewalInfo } from '../contract.ts'
import classes from './renewal.module.css'
import { RenewalStep } from './RenewalStep.tsx'
import { toneOf } from './status-styles.ts'

type Held = OutputOf<typeof certificates.calls.own>['rows'][number]

export function HeldAtHome() {
  const query = useCall(certificates.calls.own, { ...heldAtHome, status: [...heldAtHome.status] })
  const { data, isPending } = useCall(renewal.calls.ending, {})
  return (
    <Loaded query={query}>
      {({ rows }) =>
        rows.length === 0 ? null : (
          <HomeCard>
            <Stack gap="xs">
              <ul className={classes['held']}>
                {rows.map((one) => (
                  <HeldCertificate
                    key={one.certificateId}
                    held={one}
                    info={data?.certificates.find(({ certificateId }) => certificateId === one.certificateId)}
                    coming={isPending && one.status === 'expiring'}
                  />
                ))}
              </ul>
              <TextLink to={to(certificates.screens.own)}>{t('All my certificates')}</TextLink>
            </Stack>
          </HomeCard>
        )
      }
    </Loaded>
  )
}

function HeldCertificate({
  held: { certificateId, requestId, entity, name, templateName, status, notAfter, renewed },
  info,
  coming,
}: {
  held: Held
  info: RenewalInfo | undefined
  /** What becomes of it is still being asked. */
  coming: boolean
}) {
  const may = useMay()
  const path = may('certView', 'View')
    ? certificatePath(certificateId)
    : requestId === undefined
      ? to(renewal.screens.view, { certId: certificateId })
      : myRequestPath(entity, requestId)
  return (
    <li className={classes['one']}>
      <span className={classes['name']}>
        <TextLink underline="hover" to={path}>
          {name}
        </TextLink>{' '}
        <Text span size="sm" c="dimmed">
          {templateName}
        </Text>
      </span>
      <span className={classes['end']}>
        <Text span size="sm" c="dimmed">
          {status === 'expiring'
            ? t('ends {when}', { when: relativeTime(notAfter) })
            : t('until {date}', { date: mediumDate(new Date(notAfter), true) })}
        </Text>
        <Status of={status} />
      </span>
      {renewed ? <Replaced /> : info === undefined ? coming && <div className={classes['coming']} /> : <Becomes info={info} />}
    </li>
  )
}

function Becomes({ info }: { info: RenewalInfo }) {
  if (info.verdict.kind === 'superseded') return <Replaced />
  return (
    <Stack gap={6} align="flex-start" className={classes['becomes'] ?? ''}>
      <Text size="sm" {...(toneOf(info.verdict.kind) === 'red' ? { c: 'var(--chancery-bad)' } : {})}>
        <WithDates text={t(info.verdict.says)} />
      </Text>
      <RenewalStep info={info} />
    </Stack>
  )
}

/** With the serial number of the newer one the sentence would be longer than all the rest. */
const Replaced = () => (
  <Text size="sm" c="dimmed" className={classes['becomes'] ?? ''}>
    {t('A newer one is in its place.')}
  </Text>
)
