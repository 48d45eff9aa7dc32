// Two certificates side by side, what differs marked.

import { Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton, TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { certificates } from '../contract.ts'
import { certificatePath } from '../paths.ts'
import type { CertificateInfo } from '../shapes.ts'
import classes from './certificates.module.css'
import { CertificateState } from './CertificateState.tsx'

export function CompareCertificates() {
  const [address] = useSearchParams()
  const [a, b] = [address.get('a'), address.get('b')]
  return (
    <Page title={t('Compare certificates')}>
      {a === null || b === null ? (
        <EmptyState
          title={t('Choose two certificates')}
          text={t('Select two in the inventory, then press Compare.')}
          action={<LinkButton to={to(searchScreen, { searchType: 'certificate' })}>{t('Open the inventory')}</LinkButton>}
        />
      ) : (
        <Both a={a} b={b} />
      )}
    </Page>
  )
}

function Both({ a, b }: { a: string; b: string }) {
  const [first, second] = [useCall(certificates.calls.info, { certId: a }), useCall(certificates.calls.info, { certId: b })]
  return <Loaded query={first}>{(one) => <Loaded query={second}>{(other) => <Compared one={one} other={other} />}</Loaded>}</Loaded>
}

/** Texts, so that it is known what differs. */
const factsOf = ({ dn, certificate }: CertificateInfo): Record<string, string> => ({
  [t('Subject')]: dn,
  [t('Alternative names')]: certificate.sans.join(', '),
  [t('Issuer')]: certificate.issuer,
  [t('Serial number')]: certificate.serialNumber,
  [t('Key')]: certificate.key,
  [t('Signature algorithm')]: certificate.signatureAlgorithm,
  [t('Key usages')]: certificate.keyUsages.join(', '),
  [t('Extended usages')]: certificate.extendedUsages.map((name) => t(name)).join(', '),
  [t('Template')]: certificate.templateName,
  [t('Holder')]: certificate.holder,
  [t('Owner')]: certificate.owner,
  [t('Tags')]: certificate.tags.join(', '),
  [t('Requested by')]: certificate.requester,
  [t('SHA-256 fingerprint')]: certificate.fingerprintSha256,
})

function Compared({ one, other }: { one: CertificateInfo; other: CertificateInfo }) {
  const [left, right] = [factsOf(one), factsOf(other)]
  const both = [one, other]
  return (
    <div className={classes['wide']}>
      <Table aria-label={t('Compare certificates')} fz="sm" layout="fixed" miw={560}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col" w={170}>
              {t('What')}
            </Table.Th>
            {both.map(({ cn, certificate }) => (
              <Table.Th key={certificate.certificateId} scope="col" style={{ overflowWrap: 'anywhere' }}>
                <TextLink to={certificatePath(certificate.certificateId)}>{cn}</TextLink>
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Table.Tr>
            <Table.Th scope="row">{t('Status')}</Table.Th>
            {both.map(({ certificate }) => (
              <Table.Td key={certificate.certificateId}>
                <CertificateState certificate={certificate} />
              </Table.Td>
            ))}
          </Table.Tr>
          {(['notBefore', 'notAfter'] as const).map((name) => (
            <Fact
              key={name}
              label={name === 'notBefore' ? t('Valid from') : t('Valid until')}
              differs={one.certificate[name] !== other.certificate[name]}
              values={both.map(({ certificate }) => (
                <DateTime key={certificate.certificateId} at={certificate[name]} />
              ))}
            />
          ))}
          {Object.keys(left).map((label) => (
            <Fact
              key={label}
              label={label}
              differs={left[label] !== right[label]}
              values={[left, right].map((facts) => (facts[label] === '' ? '–' : facts[label]))}
            />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

function Fact({ label, differs, values }: { label: string; differs: boolean; values: readonly ReactNode[] }) {
  return (
    <Table.Tr {...(differs ? { bg: 'var(--chancery-picked)' } : {})}>
      <Table.Th scope="row">
        {label}
        {differs && (
          <Text size="xs" c="dimmed">
            {t('differs')}
          </Text>
        )}
      </Table.Th>
      {values.map((value, at) => (
        <Table.Td key={at} style={{ overflowWrap: 'anywhere' }}>
          {value}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}
