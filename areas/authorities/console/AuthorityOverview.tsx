import { Alert, SimpleGrid, Stack } from '@mantine/core'
import { keyAlgorithms } from '#areas/keys/rules.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { DateTime, relativeTime } from '#core/console/kit/DateTime.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import type { AuthorityView } from '../contract.ts'
import type { AuthorityKind } from '../rules.ts'
import { CertificateSheet } from './CertificateSheet.tsx'
import { countText } from './count-text.ts'
import { ExternalCertificate } from './ExternalCertificate.tsx'
import { OfflineCertificate } from './OfflineCertificate.tsx'

const kindTexts: Record<AuthorityKind, { label: string }> = {
  root: { label: 'Root: signs itself' },
  subordinate: { label: 'Below an authority here' },
  outside: { label: 'Below an outside authority' },
  offline: { label: 'Offline: its key is not here' },
}

export function AuthorityOverview({ authority }: { authority: AuthorityView }) {
  const {
    id,
    friendlyName,
    kind,
    keyAlgorithm,
    certificate,
    issued,
    revoked,
    createdAt,
    notAfter,
    request,
    certified,
    revocation,
    token,
    unavailable,
  } = authority
  const may = useMay()
  return (
    <Stack gap="md">
      {unavailable !== undefined && (
        <Alert color="red" variant="light" title={t(unavailable.says)}>
          {t('What waits for its signature is signed by itself when the key is back.')} <DateTime at={unavailable.since} />
        </Alert>
      )}
      {kind === 'outside' && !certified && (
        <ExternalCertificate id={id} name={friendlyName} request={request} issuerId={authority.issuerId} certified={false} />
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        {certificate !== undefined && (
          <Section title={t('Certificate')}>
            <CertificateSheet certificate={certificate} />
          </Section>
        )}
        <Section title={t('Authority')}>
          <Facts
            items={[
              { label: t('Kind'), value: t(kindTexts[kind].label) },
              { label: t('Key'), value: keyAlgorithms[keyAlgorithm].label },
              {
                label: t('The key lives'),
                value:
                  kind === 'offline'
                    ? t('Not here')
                    : token === undefined
                      ? t('In the database, sealed')
                      : t('On the token {name}', { name: token.name }),
              },
              {
                label: t('Certificates issued'),
                value:
                  may('certView') && issued.count > 0 ? (
                    <TextLink to={to(searchScreen, { searchType: 'certificate' }, { caId: id })}>{countText(issued)}</TextLink>
                  ) : (
                    countText(issued)
                  ),
              },
              { label: t('Certificates revoked'), value: countText(revoked) },
              { label: t('Created'), value: <DateTime at={createdAt} /> },
              revocation !== undefined && { label: t('Revoked'), value: <DateTime at={revocation.at} /> },
              revocation !== undefined && { label: t('Reason'), value: revocation.reason },
              notAfter !== undefined && { label: t('Expires'), value: relativeTime(notAfter) },
              certificate !== undefined && {
                label: t('Serial number'),
                value: <Mono value={certificate.serialHex} />,
                copy: certificate.serialHex,
              },
              certificate !== undefined && {
                label: t('Key identifier'),
                value: <Mono value={certificate.keyIdentifier} />,
                copy: certificate.keyIdentifier,
              },
            ]}
          />
        </Section>
      </SimpleGrid>
      {kind === 'outside' && certified && (
        <ExternalCertificate id={id} name={friendlyName} request={request} issuerId={authority.issuerId} certified />
      )}
      {kind === 'offline' && <OfflineCertificate id={id} />}
    </Stack>
  )
}
