import { z } from 'zod';
import { corporateRoute } from '../../http/corporate-route.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { jsonReply } from '../../http/json.ts';
import { recordIdField } from '../../core/fields.ts';
import { hashedBody } from '../../http/request-body.ts';
import { filePart } from '../../http/multipart.ts';
import { refuseQuery } from '../../http/form-issues.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { MEDIA_TYPES } from './media-type.ts';
import { uploadAsset } from './upload-asset.ts';

const FILE_BYTES = 20 * 1_024 * 1_024;
const UPLOAD_PATH = '/assets/upload';

const formSchema = z.strictObject({
  file: z.string().meta({
    type: 'string',
    format: 'binary',
    description: `The file, one of ${MEDIA_TYPES.join(', ')}`,
    example: 'ticket.png',
  }),
});

const assetSchema = z
  .object({
    _id: recordIdField.meta({ description: 'Id of the asset' }),
    original_file_name: z.string().meta({ description: 'As uploaded', example: 'ticket.png' }),
    s3_key: z
      .string()
      .meta({ description: 'Key in the object store', example: 'b3a1c2d4/0190f3c1a2b4d5e6f7a8b9c0.png' }),
    url: z.string().meta({ description: 'Public URL', example: 'https://assets.example.com/ticket.png' }),
    mime_type: z.enum(MEDIA_TYPES).meta({ description: 'Detected from the content', example: 'image/png' }),
  })
  .meta({ id: 'Asset' });

export const assetRoutes = createRouter();

const { middleware, ...description } = corporateRoute({
  method: 'post',
  path: UPLOAD_PATH,
  operationId: 'uploadAsset',
  tags: ['Assets'],
  summary: 'Upload a file',
  description: `At most ${FILE_BYTES / 1_048_576} MB. The media type is detected from the content.`,
  scope: 'metadata',
  rateClass: 'upload',
  middleware: [refuseQuery],
  request: { body: { required: true, content: { 'multipart/form-data': { schema: formSchema } } } },
  responses: {
    201: jsonReply('The asset', assetSchema),
    ...errorReplies(400, 401, 403, 413, 502),
  },
});

// Documented and mounted separately: the validator of a documented form would read all of it into memory.
assetRoutes.openAPIRegistry.registerPath(description);
assetRoutes.on('POST', [UPLOAD_PATH], ...middleware, async (c) => {
  const file = await filePart(c.req.raw, 'file', FILE_BYTES, (body) => hashedBody(c, body));
  const asset = await uploadAsset(tenantServices(c), file);
  const reply: z.output<typeof assetSchema> = {
    _id: asset.id,
    original_file_name: asset.originalFileName,
    s3_key: asset.s3Key,
    url: asset.url,
    mime_type: asset.mimeType,
  };
  return c.json(reply, 201);
});
