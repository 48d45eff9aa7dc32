import { Group } from '@mantine/core'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { certificates } from '../contract.ts'
import { fileStem, pemFile } from './decoded-file.ts'

/** What somebody asked for is theirs to take, also where they may see no certificates. */
export function RequestFiles({
  request,
}: {
  request: Pick<OutputOf<typeof certificates.calls.statusByRequest>, 'name' | 'certificate' | 'ca_certificate'>
}) {
  const stem = fileStem(request.name)
  return (
    <Group gap="xs">
      <DownloadButton label={t('Download certificate')} fileName={`${stem}.pem`} from={() => pemFile(request.certificate)} />
      {request.ca_certificate !== '' && (
        <DownloadButton
          label={t('Download the certificate of the authority')}
          fileName={`${stem}-authority.pem`}
          from={() => pemFile(request.ca_certificate)}
        />
      )}
    </Group>
  )
}
