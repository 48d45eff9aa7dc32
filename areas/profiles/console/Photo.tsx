import { Button, FileButton, Group } from '@mantine/core'
import { IconPhoto, IconTrash } from '@tabler/icons-react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { ServerImage } from '#core/console/kit/ServerImage.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { profiles } from '../contract.ts'

/** `at`: when it was set, so that another one is another address. */
export function Photo({ userId, at, mayChange = false }: { userId: string; at: string | undefined; mayChange?: boolean }) {
  const set = useSend(profiles.calls.setPhoto)
  const removal = useSend(profiles.calls.removePhoto)
  const take = async (file: File | null): Promise<void> => {
    if (file !== null) await set.run({ id: userId, photo: await addressOf(file) }).catch(() => {})
  }
  const remove = async (): Promise<void> => {
    const yes = await confirm({
      title: t('Remove the photo?'),
      consequence: t('The person is shown without one until another is set.'),
      action: t('Remove photo'),
      keep: t('Keep photo'),
      danger: true,
    })
    if (yes) await removal.run({ id: userId }).catch(() => {})
  }
  if (at === undefined && !mayChange) return null
  const address = `${profiles.endpoints.photo.path}?${new URLSearchParams({ id: userId, at: at ?? '' })}`
  return (
    <Section title={t('Photo')} {...(mayChange ? { intro: t('JPEG, PNG, GIF or BMP of at most 10 MB') } : {})}>
      <FaultAlert fault={set.fault ?? removal.fault} />
      <Group>
        {at !== undefined && <ServerImage from={address} alt={t('Photo of the person')} w={96} h={96} fit="cover" radius="sm" />}
        {mayChange && (
          <FileButton accept="image/jpeg,image/png,image/gif,image/bmp" onChange={(file) => void take(file)}>
            {(props) => (
              <Button {...props} variant="default" loading={set.pending} leftSection={<IconPhoto size={16} stroke={1.8} aria-hidden />}>
                {t('Choose photo')}
              </Button>
            )}
          </FileButton>
        )}
        {mayChange && at !== undefined && (
          <Button
            variant="light"
            color="red"
            loading={removal.pending}
            leftSection={<IconTrash size={16} stroke={1.8} aria-hidden />}
            onClick={() => void remove()}
          >
            {t('Remove photo')}
          </Button>
        )}
      </Group>
    </Section>
  )
}

/** The file as a data URL, as the call takes it. */
const addressOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error('The file was not read'))
    reader.readAsDataURL(file)
  })
