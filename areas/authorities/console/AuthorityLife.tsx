// All certificates of an authority, those it gave to others besides, and the way to its successor.

import { Alert, Badge, Button, Group, Loader, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Suspense } from 'react'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton, TextLink } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { offeredFurtherAction } from '../authority-parts.ts'
import { longestChain } from '../certificate-text.ts'
import { authorities, type AuthorityView } from '../contract.ts'
import type { CertificateRole } from '../succession.ts'
import { fileBlob } from './file-blob.ts'
import { authorityPath, crossPath, renewPath } from './paths.ts'
import { SuccessionTimeline } from './SuccessionTimeline.tsx'

type Life = OutputOf<typeof authorities.calls.life>
type Held = Life['certificates'][number]

const roleTexts: Record<CertificateRole, string> = { main: 'Own', link: 'Link', cross: 'Cross' }

export function AuthorityLife({ authority }: { authority: AuthorityView }) {
  const query = useCall(authorities.calls.life, { caId: authority.id })
  return <Loaded query={query}>{(life) => <Shown authority={authority} life={life} />}</Loaded>
}

function Shown({ authority, life }: { authority: AuthorityView; life: Life }) {
  const { id, kind, friendlyName, notBefore, notAfter, status, issuing, certificate } = authority
  const { certificates, given, predecessor, successor, lastEnd, movesAt, movedAt } = life
  const [importing, { open, close }] = useDisclosure(false)
  const mayCertify = kind !== 'offline' && status === 'ActiveCert' && issuing && certificate?.pathLength !== 0
  return (
    <Stack gap="md">
      {successor?.notBefore !== undefined && successor.notAfter !== undefined && notBefore !== undefined && notAfter !== undefined && (
        <Section
          title={t('Succession')}
          intro={
            movedAt === undefined
              ? t('Both issue until the successor takes over.')
              : t('The successor has taken over. This one stays for the lists and answers about what it has signed.')
          }
          actions={movedAt === undefined && <LinkButton to={renewPath(id)}>{t('Continue the succession')}</LinkButton>}
        >
          <SuccessionTimeline
            old={{ name: friendlyName, notBefore, notAfter }}
            successor={{ name: successor.friendlyName, notBefore: successor.notBefore, notAfter: successor.notAfter }}
            lastEnd={lastEnd}
            movesAt={movesAt}
            movedAt={movedAt}
          />
          <Text size="sm">
            {t('Successor')}: <TextLink to={authorityPath(successor.caId)}>{successor.friendlyName}</TextLink>
          </Text>
          {movedAt !== undefined && issuing && (
            <Text size="sm">{t('Nothing new is asked of it. Switch off issuing once the requests that wait have been decided.')}</Text>
          )}
        </Section>
      )}
      {predecessor !== undefined && (
        <Alert color="gray" variant="light">
          {t('It follows')} <TextLink to={authorityPath(predecessor.caId)}>{predecessor.friendlyName}</TextLink>
        </Alert>
      )}
      <Section
        title={t('Its certificates')}
        intro={t('The one that is in use stands in the chains; all that are valid are given out together at its address (.p7c).')}
        actions={
          <Button variant="default" size="xs" onClick={open}>
            {t('Import cross-certificate')}
          </Button>
        }
      >
        <Certificates label={t('Its certificates')} rows={certificates} />
      </Section>
      {kind !== 'offline' && (
        <Section
          title={t('Cross-certificates for others')}
          intro={t('Cross-certificates let those who trust this authority verify what another one issues.')}
          actions={
            mayCertify && (
              <LinkButton to={crossPath(id)} variant="default" size="xs">
                {t('Cross-certify an authority')}
              </LinkButton>
            )
          }
        >
          {given.length === 0 ? (
            <Text c="dimmed">{t('It has given none.')}</Text>
          ) : (
            <Certificates label={t('Cross-certificates for others')} rows={given} subjects />
          )}
        </Section>
      )}
      <Modal opened={importing} onClose={close} title={t('Import cross-certificate')} size="lg">
        <Form
          call={authorities.calls.takeCross}
          initial={{ caId: id, certificate: '' }}
          submit={t('Import cross-certificate')}
          cancel={{ label: t('Cancel'), onClick: close }}
          guard={false}
          onDone={close}
        >
          {(form) => (
            <PemInput
              {...form.field('certificate')}
              label={t('Cross-certificate and those above it')}
              hint={t('Another authority gave it to this one: the same name and key. PEM or PKCS#7, in any order.')}
              required
              most={longestChain}
              rows={6}
              accept=".pem,.crt,.cer,.der,.p7b,.p7c,.txt"
            />
          )}
        </Form>
      </Modal>
    </Stack>
  )
}

function stateOf({ signed, revocation, notBefore, notAfter }: Held): string {
  if (revocation !== undefined) return 'revoked'
  if (!signed || new Date(notBefore) > new Date()) return 'PendingCert'
  return new Date(notAfter) < new Date() ? 'ExpiredCert' : 'ActiveCert'
}

function Certificates({ label, rows, subjects = false }: { label: string; rows: readonly Held[]; subjects?: boolean }) {
  const FurtherAction = offeredFurtherAction()
  return (
    <SmallTable
      label={label}
      rows={rows}
      rowId={(row) => row.certificateId}
      columns={[
        { label: t('Kind'), cell: (row) => t(roleTexts[row.role]) },
        { label: subjects ? t('Subject') : t('Signed by'), cell: (row) => <Other row={row} subjects={subjects} /> },
        { label: t('Serial number'), cell: (row) => <Mono value={row.serialHex} /> },
        { label: t('Valid from'), cell: (row) => <DateTime at={row.notBefore} dateOnly /> },
        { label: t('Valid until'), cell: (row) => <DateTime at={row.notAfter} dateOnly /> },
        {
          label: t('Status'),
          aside: true,
          cell: (row) => (
            <Group gap="4px 8px">
              <Status of={stateOf(row)} />
              {row.putForward && (
                <Badge variant="default" style={{ flexShrink: 0 }}>
                  {t('In use')}
                </Badge>
              )}
            </Group>
          ),
        },
        {
          label: t('Actions'),
          plain: true,
          cell: (row) =>
            row.signed && (
              <Group gap="xs" wrap="nowrap">
                <DownloadButton
                  label={t('PEM')}
                  fileName={`${row.role}-${row.serialHex.slice(0, 8)}.pem`}
                  size="xs"
                  from={async () =>
                    fileBlob(await send(authorities.calls.downloadCertificate, { certificateId: row.certificateId, format: 'pem' }))
                  }
                />
                {row.role !== 'main' && row.issuerId !== undefined && FurtherAction !== undefined && (
                  <Suspense fallback={<Loader size="xs" />}>
                    <FurtherAction certificateId={row.certificateId} subject={row.subject} revoked={row.revocation !== undefined} />
                  </Suspense>
                )}
              </Group>
            ),
        },
      ]}
    />
  )
}

/** The authority on the other side. */
function Other({ row, subjects }: { row: Held; subjects: boolean }) {
  const [name, id] = subjects ? [row.subject, row.caId] : [row.issuer, row.issuerId]
  if (!subjects && row.issuerId !== undefined && row.issuerId === row.caId) return <>{t('Itself')}</>
  return id === undefined ? <>{name}</> : <TextLink to={authorityPath(id, 'life')}>{name}</TextLink>
}
