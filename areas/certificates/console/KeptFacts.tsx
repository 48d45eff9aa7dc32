// What people say of a certificate: owner and tags, and of one that others issued, whether it is used still.

import { Badge, Button, Group } from '@mantine/core'
import { Suspense, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { lazyPanel } from '#core/console/kit/panel-button.ts'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { changed } from '#core/console/queries.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { certificates } from '../contract.ts'
import type { CertificateInfo } from '../shapes.ts'
import type { AssignFormProps } from './AssignForm.tsx'

const AssignForm = lazyPanel<AssignFormProps>(() => import('./AssignForm.tsx'))

export function KeptFacts({ certificate }: { certificate: CertificateInfo['certificate'] }) {
  const keeps = useMay()('certUpload')
  const navigate = useNavigate()
  const [editing, setEditing] = useState(false)
  const { certificateId, name, owner, tags, replaced } = certificate
  const external = certificate.caId === undefined
  if (!keeps && owner === '' && tags.length === 0) return null
  return (
    <Section title={t('Owner and tags')}>
      <Facts
        items={[
          { label: t('Owner'), value: owner === '' ? t('Nobody is named') : owner },
          { label: t('Tags'), value: tags.length === 0 ? t('None') : <Tags tags={tags} /> },
          external && { label: t('In use'), value: replaced ? t('No: another is used in its place') : t('Yes') },
        ]}
      />
      {keeps && (
        <Group gap="xs" mt="sm">
          <Button size="xs" variant="default" onClick={() => setEditing(true)}>
            {t('Change owner and tags')}
          </Button>
          {external && (
            <>
              <Button size="xs" variant="default" onClick={() => void markReplaced(certificateId, !replaced)}>
                {replaced ? t('Mark as in use') : t('Mark as replaced')}
              </Button>
              <Button
                size="xs"
                variant="light"
                color="red"
                onClick={() =>
                  void remove(certificateId, name).then((gone) => gone && navigate(to(searchScreen, { searchType: 'certificate' })))
                }
              >
                {t('Remove certificate')}
              </Button>
            </>
          )}
        </Group>
      )}
      {editing && (
        <Suspense>
          <AssignForm certificateId={certificateId} name={name} owner={owner} tags={tags} opened close={() => setEditing(false)} />
        </Suspense>
      )}
    </Section>
  )
}

/** Each leads to the list of those that have it. */
export const Tags = ({ tags }: { tags: readonly string[] }) => (
  <Group gap={4} component="span">
    {tags.map((tag) => (
      <Badge
        key={tag}
        component={Link}
        to={to(searchScreen, { searchType: 'certificate' }, { tag })}
        variant="light"
        color="gray"
        tt="none"
        fw={400}
        c="inherit"
        style={{ cursor: 'pointer' }}
      >
        {tag}
      </Badge>
    ))}
  </Group>
)

async function markReplaced(certificateId: string, replaced: boolean): Promise<void> {
  await send(certificates.calls.markReplaced, { certificateId, replaced }).then(
    () => changed('certificates'),
    (error: unknown) => toastFault(error, t('The certificate was not marked')),
  )
}

/** False where it was called off, or refused. */
async function remove(certificateId: string, name: string): Promise<boolean> {
  const agreed = await confirm({
    title: t('Remove {name} from the inventory?', { name }),
    consequence: t(
      'It is not watched any more, and nobody is told when it ends. It can be uploaded again; the audit log keeps what it was.',
    ),
    action: t('Remove certificate'),
    keep: t('Keep certificate'),
  })
  if (!agreed) return false
  return send(certificates.calls.removeUploaded, { certificateId }).then(
    () => (changed('certificates'), true),
    (error: unknown) => (toastFault(error, t('The certificate was not removed')), false),
  )
}
