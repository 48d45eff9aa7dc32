// The answer: the verdict, the path from the certificate up to its root with what is wrong at each, and what else was tried.

import { Alert, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import type { VerificationPath, VerificationReport } from '../contract.ts'
import { purposes, type Purpose } from '../rules.ts'
import classes from './verification.module.css'

export function VerificationView({ report }: { report: VerificationReport }) {
  const { verdict, says, at, purpose, path, rejected, omitted, gaveUp } = report
  const valid = verdict === 'valid'
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.focus()
  }, [report])
  const unchecked = path === undefined ? [] : path.certificates.filter(isUnchecked)
  const { color, Icon } = !valid ? styles.refused : unchecked.length > 0 ? styles.unchecked : styles.good
  const [likeliest, ...others] = path === undefined ? rejected : [path, ...rejected]
  return (
    <Stack gap="md" maw={1100} ref={box} tabIndex={-1} className={classes['answer']}>
      <Alert color={color} variant="light" role="status" icon={<Icon size={18} aria-hidden />} title={t(says)}>
        {unchecked.length > 0 && (
          <Text inherit mb={4} style={{ overflowWrap: 'anywhere' }}>
            {t(
              'It may have been revoked. To have that checked, add the revocation list (CRL) of {issuers} under “Intermediates, revocation lists, time and policies”.',
              {
                issuers: [...new Set(unchecked.map(({ issuer }) => issuer))].join('; '),
              },
            )}
          </Text>
        )}
        {t('{purpose}, at', { purpose: purpose in purposes ? t(purposes[purpose as Purpose]) : purpose })} <DateTime at={at} />
        {gaveUp !== undefined && <Text inherit>{t(gaveUp.says)}</Text>}
      </Alert>
      {likeliest !== undefined && <Path path={likeliest} title={path === undefined ? t('Likeliest path') : t('Path')} />}
      {others.length > 0 && (
        <details>
          <summary className={classes['summary']}>
            {t('{count, plural, one {One other path was refused} other {# other paths were refused}}', { count: others.length + omitted })}
          </summary>
          <Stack gap="md" mt="sm">
            {others.map((each, index) => (
              <Path key={index} path={each} title={t('Refused path {number}', { number: index + 1 })} />
            ))}
            {omitted > 0 && (
              <Text>{t('{count, plural, one {# more is not shown.} other {# more are not shown.}}', { count: omitted })}</Text>
            )}
          </Stack>
        </details>
      )}
    </Stack>
  )
}

function Path({ path: { certificates, complete, policies }, title }: { path: VerificationPath; title: string }) {
  return (
    <Section title={title} {...(complete ? {} : { intro: t('It does not reach a trusted root.') })}>
      <ol className={classes['path']}>
        {certificates.map((certificate, at) => (
          <Certificate key={at} certificate={certificate} />
        ))}
      </ol>
      {policies.length > 0 && (
        <Text size="sm" c="dimmed">
          {t('Valid under the policies {policies}', {
            policies: policies.map((policy) => (policy === anyPolicy ? t('any policy') : policy)).join(', '),
          })}
        </Text>
      )}
    </Section>
  )
}

type CertificateView = VerificationPath['certificates'][number]

/** A trusted root is trusted whatever a list says of it. */
const isUnchecked = ({ role, revocation }: CertificateView): boolean => role !== 'root' && revocation === 'notChecked'

const styles = {
  good: { color: 'green', Icon: IconCircleCheck },
  unchecked: { color: 'yellow', Icon: IconAlertTriangle },
  refused: { color: 'red', Icon: IconCircleX },
}

const anyPolicy = '2.5.29.32.0'

function Certificate({ certificate }: { certificate: CertificateView }) {
  const { role, subject, key, notBefore, notAfter, serialNumber, revocation, faults } = certificate
  const good = faults.length === 0
  return (
    <li className={classes['certificate']} data-good={good}>
      <span className={classes['mark']}>
        {good ? <IconCircleCheck size={20} aria-label={t('Good')} /> : <IconCircleX size={20} aria-label={t('Refused')} />}
      </span>
      <div className={classes['body']}>
        <div className={classes['subject']}>{subject}</div>
        <div className={classes['facts']}>
          <span>{t(roles[role])}</span>
          <span>{key}</span>
          <span>
            <DateTime at={notBefore} /> – <DateTime at={notAfter} />
          </span>
          <span className={classes['serial']}>{t('Serial number {serial}', { serial: serialNumber })}</span>
          {role !== 'root' && <span>{t(revocations[revocation])}</span>}
        </div>
        {!good && (
          <ul className={classes['faults']}>
            {faults.map(({ code, clause, says }, at) => (
              <li key={`${code} ${at}`}>
                {t(says)} <span className={classes['clause']}>{clause}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  )
}

const roles = { leaf: 'Certificate', intermediate: 'Intermediate', root: 'Trusted root' } as const
const revocations = {
  good: 'Not revoked',
  revoked: 'Revoked',
  unknown: 'Revocation unknown',
  notChecked: 'Revocation not checked',
} as const
