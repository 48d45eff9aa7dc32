// Who signs an authority's OCSP answers at the moment, and what to do where its key is exposed.

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconClock } from '@tabler/icons-react'
import { keyAlgorithms } from '#areas/keys/rules.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime, relativeTime } from '#core/console/kit/DateTime.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Facts } from '#core/console/kit/Section.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { revocation } from '../contract.ts'

type View = OutputOf<typeof revocation.calls.publication>

export function OcspSigner({ view: { caId, caName, signer, signerDue, settings } }: { view: View }) {
  if (settings.signedBy === 'authority') return null
  return (
    <Stack gap="xs">
      <Text fw={600}>{t('The signer of OCSP answers')}</Text>
      {signer === undefined ? (
        <Alert color="yellow" icon={<IconClock size={18} aria-hidden />} title={t('There is no signer at the moment')}>
          {signerDue
            ? t(
                'The authority signs its answers by itself until there is one. One is made within a few minutes; if none comes, the key of the authority is out of reach.',
              )
            : t('The authority signs its answers by itself: it is revoked, or near its end.')}
        </Alert>
      ) : (
        <>
          {signerDue && (
            <Alert color="yellow" icon={<IconAlertTriangle size={18} aria-hidden />} title={t('The signer is due to be renewed')}>
              {t('It goes on until {when}. If no other follows within a few minutes, the key of the authority is out of reach.', {
                when: relativeTime(signer.notAfter),
              })}
            </Alert>
          )}
          <Facts
            items={[
              { label: t('Serial number'), value: <Mono value={signer.serialNumber} />, copy: signer.serialNumber },
              {
                label: t('Key'),
                value:
                  settings.signedBy === 'signerOnToken'
                    ? t('{key}, on the token of the authority', { key: keyAlgorithms[signer.key].label })
                    : keyAlgorithms[signer.key].label,
              },
              { label: t('Valid until'), value: <DateTime at={signer.notAfter} /> },
              {
                label: t('Renewed by itself'),
                value: signer.renewsAt === undefined ? t('no: it ends with its authority') : <DateTime at={signer.renewsAt} />,
              },
            ]}
          />
          <Replace caId={caId} caName={caName} signer={signer} />
        </>
      )}
    </Stack>
  )
}

function Replace({ caId, caName, signer }: { caId: string; caName: string; signer: NonNullable<View['signer']> }) {
  const may = useMay()
  const replace = useSend(revocation.calls.replaceSigner)
  const ask = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Replace the signer of {name}?', { name: caName }),
      consequence: t(
        'Do this when its key may be exposed. Its certificate is revoked and another signs from now on. Relying parties do not ask about a signer: one who has the key can forge answers until {when}.',
        { when: relativeTime(signer.notAfter) },
      ),
      action: t('Replace signer'),
      keep: t('Keep signer'),
    })
    if (sure) await replace.run({ caId }).catch(() => {})
  }
  return (
    <>
      <FaultAlert fault={replace.fault} />
      <Group>
        <DownloadButton
          label={t('Download signer certificate')}
          fileName="ocsp-signer.pem"
          from={() => new Blob([signer.pem], { type: 'application/x-pem-file' })}
        />
        {may(revocation.calls.replaceSigner.needs, 'View') && (
          <Button variant="default" color="red" onClick={() => void ask()}>
            {t('Replace signer')}
          </Button>
        )}
      </Group>
    </>
  )
}
